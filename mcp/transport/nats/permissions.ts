import { grantedSubjects, subjects } from '../../protocol/subjects.js';
import { headsStream, journalStream, liveBucket, liveKeys, liveStream, logStream } from './streams.js';

/** Who connects: a component that is called, the coordinator, one that only calls, the journal, or the operator. */
export type NatsRole = 'component' | 'coordinator' | 'caller' | 'journal' | 'ops';

export interface NatsPermissions {
  readonly publish: readonly string[];
  /** `subject queue` grants the subject with that queue group only. */
  readonly subscribe: readonly string[];
}

/** Where an operator's own answers go: nobody else may listen there, and instances may answer `$SRV.PING` there. */
export const OPS_INBOX = '_INBOX.ops';

/**
 * The least that a component needs within its tenant's account. The server holds it to its own name: as the last token
 * of a call, as the source of an event, in the log, as a live key, and in its inboxes.
 *
 * Answers go by this list, not by `allow_responses`: that would send an answer wherever a forged reply subject points.
 * A stream's last record can be read by all, its records in order only by their owner, and all of them by the
 * coordinator, for backups; records are sealed. Heads are signed, not secret: everybody reads all of them, and appends
 * under the own name.
 */
export function natsPermissions(tenant: string, name: string, role: NatsRole, major = 1): NatsPermissions {
  if (role === 'ops') return { publish: ['>'], subscribe: ['>'] };
  const inbox = `_INBOX.${name}.>`;
  const publish = [
    grantedSubjects.callsBy(tenant, name),
    grantedSubjects.directsBy(tenant, name),
    grantedSubjects.eventsBy(tenant, name),
    '$SRV.PING.>',
    ...logReads(tenant, name),
    ...headReads(tenant),
    ...liveWrites(tenant, name),
  ];
  const subscribe = [
    grantedSubjects.repliesTo(tenant, name),
    grantedSubjects.events(tenant),
    grantedSubjects.beats(tenant),
    inbox,
    liveKeys(tenant),
  ];
  if (role === 'caller') return { publish, subscribe };
  publish.push(subjects.logOf(tenant, name), grantedSubjects.headsBy(tenant, name), grantedSubjects.siteKeys(tenant));
  if (role === 'journal') return { publish: [...publish, ...journalReads(tenant)], subscribe };
  if (role === 'coordinator') publish.push(orderedReads(tenant, subjects.logs(tenant)));
  const queue = subjects.queue(name, major);
  return {
    publish: [...publish, grantedSubjects.replies(tenant), subjects.beat(tenant, name), `${OPS_INBOX}.>`],
    subscribe: [
      ...subscribe,
      `${grantedSubjects.callsTo(tenant, name, major)} ${queue}`,
      grantedSubjects.directsTo(tenant, name),
      ...['PING', 'INFO', 'STATS'].flatMap((verb) => [
        `$SRV.${verb}`,
        `$SRV.${verb}.${queue}`,
        `$SRV.${verb}.${queue}.*`,
      ]),
    ],
  };
}

function logReads(tenant: string, name: string): readonly string[] {
  const stream = logStream(tenant);
  return [
    `$JS.API.STREAM.INFO.${stream}`,
    `$JS.API.STREAM.MSG.GET.${stream}`,
    orderedReads(tenant, subjects.logOf(tenant, name)),
    ...consumerUse(stream),
  ];
}

/** Its filter is part of the subject: these records and no others. */
const orderedReads = (tenant: string, pattern: string): string =>
  `$JS.API.CONSUMER.CREATE.${logStream(tenant)}.*.${pattern}`;

function headReads(tenant: string): readonly string[] {
  const stream = headsStream(tenant);
  return [
    `$JS.API.STREAM.INFO.${stream}`,
    `$JS.API.STREAM.MSG.GET.${stream}`,
    `$JS.API.CONSUMER.CREATE.${stream}.*.>`,
    ...consumerUse(stream),
  ];
}

function journalReads(tenant: string): readonly string[] {
  const stream = journalStream(tenant);
  return [`$JS.API.STREAM.INFO.${stream}`, `$JS.API.CONSUMER.CREATE.${stream}.*`, ...consumerUse(stream)];
}

/** Names of consumers are random: only their maker knows them. */
const consumerUse = (stream: string): readonly string[] =>
  ['INFO', 'DELETE', 'MSG.NEXT'].map((verb) => `$JS.API.CONSUMER.${verb}.${stream}.*`);

const liveWrites = (tenant: string, name: string): readonly string[] => [
  `$JS.API.STREAM.INFO.${liveStream(tenant)}`,
  `$JS.API.STREAM.MSG.GET.${liveStream(tenant)}`,
  `$KV.${liveBucket(tenant)}.live.${name}.*`,
];
