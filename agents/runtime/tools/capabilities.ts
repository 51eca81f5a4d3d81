import type { Deadline } from '../../../shared/deadline.js';
import type { Device, DeviceAccess, PointValue, RegisterWrite, WriteReceipt } from '../../../shared/device.js';
import { type ErrorData, HermesError } from '../../../shared/errors.js';
import { LIMITS } from '../../../shared/limits.js';
import type { Mail, MailSender } from '../../../shared/mail.js';
import type { Outcome } from '../../../shared/outcome.js';
import type { Site } from '../../../shared/site.js';
import type { Held } from '../ownership/index.js';
import type { Effect } from '../record/index.js';
import type { Identify } from './identity.js';
import { type MemoryCapability, type MemoryDeps, memoryOf } from './memory-capability.js';
import { addressesOf } from './recipients.js';

/**
 * All the I/O that a tool has. Each use is checked against what the tool declared and what the operator granted, and
 * each effect is on the record before the tool goes on: the record of effects is complete by construction.
 */
export interface Capabilities {
  readonly modbus: {
    /** Points by name, in engineering units, with quality. Declared as `modbus.read:<device>`. */
    read(deviceId: string, points: readonly string[]): Promise<Record<string, PointValue>>;
    /** Declared as `modbus.write:<device>`. */
    write(deviceId: string, point: string, value: number | boolean): Promise<void>;
  };
  readonly smtp: {
    /** Declared as `smtp.send:<address>`, for each of `to` and `cc`. @throws `invalid_params` for no address. */
    send(mail: Mail): Promise<{ response: string }>;
  };
  readonly memory: MemoryCapability;
  readonly alarm: {
    /** Declared as `alarm.raise`. */
    raise(kind: string, deviceId: string, data: Record<string, unknown>): Promise<string>;
  };
}

/** What capabilities stand on; handed in, never reached for. */
export interface CapabilityDeps extends MemoryDeps {
  readonly site: Site;
  readonly devices: DeviceAccess;
  readonly mail?: MailSender;
  readonly raiseAlarm: (kind: string, deviceId: string, data: Record<string, unknown>) => Promise<string>;
  /**
   * The right to write behind a link: the token of its ownership, and a guard for the moment of sending; undefined
   * where the agent owns no such link. @throws HermesError `owner_moved`.
   */
  readonly hold: (link: string) => Promise<Held | undefined>;
  /** Whether it is the declared device. @throws HermesError `wrong_target`. */
  readonly identify: Identify;
}

export interface CapabilityGrant {
  readonly tool: string;
  readonly declared: readonly string[];
  /** The operator's policy: patterns like the declared ones. */
  readonly granted: readonly string[];
}

/** One use of the capabilities: an execution, a verification or a rollback of one operation. */
export interface CapabilityUse {
  readonly effects: Effect[];
  readonly deadline: Deadline;
  /** Forward effects stop at the deadline; a rollback has its own. */
  readonly forward: boolean;
  /** Effects that have begun and not been answered, for those who must know how they end. */
  readonly underWay?: Set<Promise<unknown>>;
  readonly stop?: Stop;
}

/** Why a tool may do nothing more: it reached for what it had not declared, whatever it made of the error. */
export interface Stop {
  because?: HermesError;
}

export function openCapabilities(deps: CapabilityDeps, grant: CapabilityGrant, use: CapabilityUse): Capabilities {
  const allow = (capability: string, target: string): void => {
    if (use.forward && use.stop?.because) throw use.stop.because;
    const wanted = `${capability}:${target}`;
    if (!grant.declared.some((pattern) => covers(pattern, wanted))) {
      const error = undeclared(grant.tool, wanted);
      if (use.stop) use.stop.because ??= error;
      throw error;
    }
    if (grant.granted.some((pattern) => covers(pattern, wanted))) return;
    throw new HermesError('not_allowed', `${wanted} is not granted to ${grant.tool}`, {
      suggestion: `add "${wanted}" to the grants of the agent in the topology`,
    });
  };
  const beforeEffect = (): void => {
    use.deadline.check(true);
    if (use.forward && use.effects.length >= LIMITS.recordedEffects) throw tooMany(grant.tool);
  };
  const device = (id: string): Device => {
    const found = deps.site.devices.find((candidate) => candidate.id === id);
    if (!found) throw new HermesError('unknown_entity', `no device ${id}`, { device_id: id });
    return found;
  };
  const made = (effect: EffectDraft): Effect => {
    const undo = use.forward ? {} : { rollback: true };
    return { ...effect, at: Math.round(deps.now()), ...undo };
  };
  const note = (effect: EffectDraft): void => void use.effects.push(made(effect));
  /**
   * An effect is on the list, as unknown, from the moment at which it may begin: whoever looks while no answer has
   * come yet sees that. How it ended takes its place; nothing does when it never went out.
   */
  const track = async <T>(
    begun: Omit<EffectDraft, 'outcome'>,
    work: () => Promise<T>,
    ended: (end: Ended<T>) => EffectDraft[],
  ) => {
    const open = made({ ...begun, outcome: 'unknown' });
    use.effects.push(open);
    const replace = (end: Ended<T>): void => {
      use.effects.splice(
        use.effects.indexOf(open),
        1,
        ...ended(end).map((effect) => ({ ...made(effect), at: open.at })),
      );
    };
    const running = work();
    const watched = running.then(
      (value) => replace({ value }),
      (error: unknown) => replace({ data: error instanceof HermesError ? error.data : {} }),
    );
    use.underWay?.add(watched);
    await watched;
    use.underWay?.delete(watched);
    return running;
  };

  return {
    modbus: {
      async read(deviceId, points) {
        allow('modbus.read', deviceId);
        const options = { signal: use.deadline.signal };
        const values = await deps.devices.read(device(deviceId), points, options);
        return Object.fromEntries(values.map((value) => [value.point, value]));
      },
      async write(deviceId, point, value) {
        allow('modbus.write', deviceId);
        const target = device(deviceId);
        await deps.identify(target, use.deadline.signal);
        const before = await readBefore(deps, target, point, use.deadline.signal);
        beforeEffect();
        const done = { capability: 'modbus.write', target: `${deviceId}.${point}`, before, after: value };
        let epoch: number | undefined;
        const told: EffectDraft[] = [];
        const fenceTo = (registers: RegisterWrite, outcome: Outcome): EffectDraft => ({
          capability: 'modbus.write',
          target: `${deviceId}.fence`,
          after: epoch,
          registers,
          outcome,
        });
        const send = async (): Promise<WriteReceipt> => {
          const held = await deps.hold(target.link);
          epoch = held?.epoch;
          return deps.devices.write(target, point, value, { signal: use.deadline.signal, ...held });
        };
        await track(
          done,
          () =>
            confirmedAnew(send, use.deadline, ({ fence_written }) => {
              if (fence_written) told.push(fenceTo(fence_written as RegisterWrite, 'confirmed'));
            }),
          ({ value: receipt, data }) => {
            const outcome: Outcome = receipt ? 'confirmed' : data?.sent === true ? 'unknown' : 'failed';
            const { fence: declared, write } = (receipt ?? data) as Partial<WriteReceipt>;
            const written = data?.fence_written as RegisterWrite | undefined;
            return [
              ...told,
              ...(written ? [fenceTo(written, 'confirmed')] : []),
              ...(declared ? [fenceTo(declared, outcome)] : []),
              ...(write ? [{ ...done, registers: write, outcome }] : []),
            ];
          },
        );
      },
    },
    smtp: {
      async send(mail) {
        const recipients = addressesOf(mail);
        for (const address of recipients) allow('smtp.send', address);
        const { mail: sender } = deps;
        if (!sender) throw new HermesError('tool_failed', 'no mail server is configured', { suggestion: MAIL_HINT });
        beforeEffect();
        const done = { capability: 'smtp.send', target: recipients.join(','), after: { message_id: mail.message_id } };
        return track(
          done,
          () => sender.send(mail, { signal: use.deadline.signal }),
          ({ value, data }) => {
            if (value) return [{ ...done, outcome: 'confirmed' }];
            return data?.sent === true ? [{ ...done, outcome: 'unknown' }] : [];
          },
        );
      },
    },
    memory: memoryOf(deps, allow),
    alarm: {
      async raise(kind, deviceId, data) {
        allow('alarm.raise', deviceId);
        beforeEffect();
        const id = await deps.raiseAlarm(kind, deviceId, data);
        note({ capability: 'alarm.raise', target: deviceId, after: { alarm_id: id, kind }, outcome: 'confirmed' });
        return id;
      },
    },
  };
}

/** A request that waited so long for its turn that its owner is no longer sure is confirmed again, and then sent. */
async function confirmedAnew<T>(
  send: () => Promise<T>,
  deadline: Deadline,
  unsent: (data: ErrorData) => void,
): Promise<T> {
  for (;;) {
    try {
      return await send();
    } catch (error) {
      if (!(error instanceof HermesError) || error.data.unconfirmed !== true) throw error;
      unsent(error.data);
      deadline.check(true);
    }
  }
}

type EffectDraft = Omit<Effect, 'at' | 'outcome'> & { readonly outcome: Outcome };
/** How something ended: with its answer, or with what the error says. */
type Ended<T> =
  | { readonly value: T; readonly data?: undefined }
  | { readonly value?: undefined; readonly data: ErrorData };

const MAIL_HINT = 'set channels.email.url in the topology';

/** The prior value for the record and for rollback; unreadable is null, not an obstacle. */
async function readBefore(deps: CapabilityDeps, device: Device, point: string, signal: AbortSignal): Promise<unknown> {
  const readable = device.points.find((candidate) => candidate.name === point);
  if (!readable) throw new HermesError('unknown_entity', `${device.id} has no point ${point}`, { point });
  try {
    return (await deps.devices.read(device, [point], { signal }))[0]?.value ?? null;
  } catch (error) {
    if (signal.aborted) throw error;
    return null;
  }
}

/** `modbus.write:PLC-*` covers `modbus.write:PLC-007`; a pattern without target covers every target. */
export function covers(pattern: string, wanted: string): boolean {
  if (pattern === '*' || pattern === wanted) return true;
  if (!pattern.includes(':')) return wanted.startsWith(`${pattern}:`);
  return pattern.endsWith('*') && wanted.startsWith(pattern.slice(0, -1));
}

function undeclared(tool: string, wanted: string): HermesError {
  return new HermesError('undeclared_effect', `${tool} reached for ${wanted}, which it did not declare`, {
    suggestion: `declare "${wanted}" in side_effects of ${tool}`,
  });
}

function tooMany(tool: string): HermesError {
  return new HermesError(
    'tool_failed',
    `${tool} has had ${LIMITS.recordedEffects} effects, more than one entry holds`,
    {
      suggestion: 'do it in several steps: each is an operation of its own',
    },
  );
}
