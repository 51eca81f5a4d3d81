/**
 * Every subject of the system is built and read here. `<t>` is the tenant; components stand without version; the last
 * token of a call is its caller, so that NATS permissions stop one component from speaking as another.
 */
export const subjects = {
  call: (tenant: string, callee: string, major: number, caller: string): string =>
    `hermes.${tenant}.call.${callee}.v${major}.${caller}`,
  calls: (tenant: string, callee: string, major: number): string => `hermes.${tenant}.call.${callee}.v${major}.*`,
  /** Queue group of a component's instances; no dots, the services client refuses them. */
  queue: (callee: string, major: number): string => `${callee}_v${major}`,
  direct: (tenant: string, callee: string, instance: string, caller: string): string =>
    `hermes.${tenant}.direct.${callee}.${instance}.${caller}`,
  directs: (tenant: string, callee: string, instance: string): string =>
    `hermes.${tenant}.direct.${callee}.${instance}.*`,
  reply: (tenant: string, caller: string, nonce: string): string => `hermes.${tenant}.reply.${caller}.${nonce}`,
  replyPrefix: (tenant: string, caller: string): string => `hermes.${tenant}.reply.${caller}.`,
  /** What a client's own inboxes begin with, so that answers to it are replies like any other. */
  replyInbox: (tenant: string, caller: string): string => `hermes.${tenant}.reply.${caller}`,
  event: (tenant: string, source: string, topic: string): string => `hermes.${tenant}.event.${source}.${topic}`,
  eventsOn: (tenant: string, topic: string): string => `hermes.${tenant}.event.*.${topic}`,
  /** Load of one component's instances; not journalled. */
  beat: (tenant: string, source: string): string => `hermes.${tenant}.beat.${source}`,
  log: (tenant: string, component: string, scope: string): string => `hermes.${tenant}.log.${component}.${scope}`,
  logs: (tenant: string): string => `hermes.${tenant}.log.>`,
  logOf: (tenant: string, component: string): string => `hermes.${tenant}.log.${component}.>`,
  /** What a component signed about the newest entry of one of its scopes. */
  head: (tenant: string, component: string, scope: string): string => `hermes.${tenant}.head.${component}.${scope}`,
  headsOf: (tenant: string, component: string): string => `hermes.${tenant}.head.${component}.*`,
  /** Heads and countersignatures. */
  heads: (tenant: string): string => `hermes.${tenant}.head.>`,
  /** What `by` says of a head of another component's; the writer stands where a writer always stands. */
  countersigned: (tenant: string, by: string, component: string, scope: string): string =>
    `hermes.${tenant}.head.${by}.${component}.${scope}`,
  countersignaturesBy: (tenant: string, by: string): string => `hermes.${tenant}.head.${by}.*.*`,
  countersignaturesOf: (tenant: string, component: string, scope: string): string =>
    `hermes.${tenant}.head.*.${component}.${scope}`,
  /** What the journal captures. */
  journal: (tenant: string): readonly string[] =>
    ['call', 'direct', 'reply', 'event'].map((kind) => `hermes.${tenant}.${kind}.>`),
} as const;

/** Patterns that a broker grants: each names one component, or what is open to all. */
export const grantedSubjects = {
  callsBy: (tenant: string, caller: string): string => `hermes.${tenant}.call.*.*.${caller}`,
  directsBy: (tenant: string, caller: string): string => `hermes.${tenant}.direct.*.*.${caller}`,
  callsTo: (tenant: string, callee: string, major: number): string => `hermes.${tenant}.call.${callee}.v${major}.*`,
  directsTo: (tenant: string, callee: string): string => `hermes.${tenant}.direct.${callee}.*.*`,
  replies: (tenant: string): string => `hermes.${tenant}.reply.>`,
  repliesTo: (tenant: string, caller: string): string => `hermes.${tenant}.reply.${caller}.>`,
  eventsBy: (tenant: string, source: string): string => `hermes.${tenant}.event.${source}.>`,
  events: (tenant: string): string => `hermes.${tenant}.event.>`,
  beats: (tenant: string): string => `hermes.${tenant}.beat.*`,
  /** Heads and countersignatures that a component signs; two forms, one more token each. */
  headsBy: (tenant: string, name: string): string => `hermes.${tenant}.head.${name}.>`,
  /** Keys of the site in the log: whoever comes first makes them. */
  siteKeys: (tenant: string): string => `hermes.${tenant}.log.site.*`,
} as const;

/** Last token: the caller of a call, the scope of a log subject. */
export const lastToken = (subject: string): string => subject.slice(subject.lastIndexOf('.') + 1);

/** Fourth token: the source of an event, the component of a log subject, who signed a head. */
export const sourceToken = (subject: string): string => subject.split('.')[3] ?? '';

/** Second of the fixed tokens: call, direct, reply, event, log or head. */
export const kindToken = (subject: string): string => subject.split('.')[2] ?? '';

/** A countersignature names the component of the head too. */
export const isCountersigned = (subject: string): boolean => subject.split('.').length === 6;
