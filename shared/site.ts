import type { Device } from './device.js';

/** Words about the place and its people that everyone shares. */
export type Language = 'zh' | 'en';

export interface Person {
  readonly id: string;
  /** First is the display name; all are recognised in sentences. */
  readonly names: { readonly zh: readonly string[]; readonly en: readonly string[] };
  readonly email?: string;
  readonly wecom?: string;
  readonly skills: readonly string[];
  readonly roles: readonly string[];
  /** Working hours, by the name of a calendar; without one the person is there at any time. */
  readonly calendar?: string;
}

/** Working hours that repeat every week, in the site's time zone. `to` before `from` ends on the next day. */
export interface Calendar {
  /** 1 is Monday, 7 is Sunday (ISO 8601). */
  readonly days: readonly number[];
  /** `08:00` */
  readonly from: string;
  readonly to: string;
}

/** What an agent of the site serves: calls about these devices and places go to it. */
export interface Serving {
  readonly name: string;
  readonly devices: readonly string[];
  /** Zone ids, those of its floors among them. */
  readonly zones: readonly string[];
  readonly floors: readonly number[];
}

export interface Group {
  readonly id: string;
  readonly names: { readonly zh: readonly string[]; readonly en: readonly string[] };
  readonly members: readonly string[];
}

export interface Zone {
  readonly id: string;
  readonly floor: number;
  readonly name: string;
}

export interface Link {
  readonly id: string;
  /** `host:port`, or `sim:<link>`: the simulator's control endpoint knows the port. */
  readonly address: string;
  readonly poll_ms: number;
}

/** What an agent is handed of the topology: facts, no configuration of others. */
export interface Site {
  readonly id: string;
  readonly name: { readonly zh: string; readonly en: string };
  readonly timezone: string;
  readonly floors: readonly { readonly floor: number; readonly zones: readonly Zone[] }[];
  readonly links: readonly Link[];
  readonly devices: readonly Device[];
  readonly people: readonly Person[];
  readonly groups: readonly Group[];
  readonly calendars: Readonly<Record<string, Calendar>>;
  /** The listed agents, whether they live or not. */
  readonly agents: readonly Serving[];
  readonly channels: {
    readonly email?: { readonly url: string; readonly from: string };
  };
}
