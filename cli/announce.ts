import { z } from 'zod';
import { print } from './output.js';

/** What a process of a site tells when it is ready. */
export interface Announcement {
  /** `plc_controller`, or the coordinator's name. */
  readonly component: string;
  readonly instances: readonly string[];
  /** Where it serves HTTP. */
  readonly url?: string;
}

const schema = z.object({
  ready: z.object({ component: z.string(), instances: z.array(z.string()), url: z.string().optional() }),
});

/** To the process that supervises this one over their channel; without one to the person, on stdout. */
export function announce(ready: Announcement, lines: () => string, json = false): void {
  if (process.send) process.send({ ready });
  else print(json ? ready : lines());
}

/** The announcement in a message of a child, if it is one. */
export function announcementIn(message: unknown): Announcement | undefined {
  const parsed = schema.safeParse(message);
  if (!parsed.success) return undefined;
  const { url, ...ready } = parsed.data.ready;
  return { ...ready, ...(url === undefined ? {} : { url }) };
}
