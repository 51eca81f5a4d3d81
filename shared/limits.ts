/** Every cap of the system, with its unit in the name and its reason beside it. */
export const LIMITS = {
  /** A NATS server refuses more by default. */
  messageBytes: 1_048_576,
  /** A goal is a sentence or a page, not a file. */
  goalBodyBytes: 65_536,
  /** Deeper structures are attacks or defects. */
  nestingDepth: 64,
  /** Calls that wait at one endpoint; beyond it the caller is told to go elsewhere. */
  mailboxSize: 256,
  /** Calls that run at one endpoint at once. */
  mailboxConcurrency: 16,
  /** Components in one call chain. */
  chainDepth: 8,
  requestIdChars: 128,
  scopeChars: 128,
  /** More than this between sending and arrival, after correction of the clocks, and the callee does not guess. */
  clockSkewMs: 1_000,
  /** Rollback may run on past the deadline for this long. */
  rollbackTimeoutMs: 5_000,
  /** A call that still runs this long after its deadline and the time for rollback will not end: it is given up. */
  stuckAfterMs: 5_000,
  /** Share of a call's time kept for rollback when the tool declares none. */
  rollbackReserveShare: 0.2,
  /** Reading back after a failure, so that the answer still comes in time. */
  readBackMs: 250,
  /** An operation that takes over two seconds says that it is under way; one that is about to end needs not. */
  processingMs: 3_000,
  /** Preflight asks quickly or not at all. */
  preflightMs: 2_000,
  /** Time to death of an instance that no longer renews. */
  livenessTtlMs: 5_000,
  livenessRenewMs: 1_000,
  /** An instance that comes to others claims what is free after this time: they have seen it by then. */
  claimDelayMs: 1_500,
  /** What the log said of an owner counts for this long before a write. */
  confirmedMs: 2_000,
  /** Own renewals older than this, and only what the log says right now counts. */
  renewalTrustMs: 3_000,
  /** Right now, for that rule. */
  confirmedNowMs: 100,
  /** Calls of one instance that wait for a key to be owned; they take up half of its mailbox at most. */
  ownerWaiters: 8,
  /** At the end calls may finish for this long, and then have as long again to stop when told to. */
  finishMs: 3_500,
  /** A process that seals under an older data key finds out about the newest. */
  keyCheckMs: 60_000,
  /** Giving back what is owned at the end may take this long. */
  giveBackMs: 2_000,
  /** Telling devices their new owner may take this long; the rest hear it with the first write. */
  fenceMs: 1_500,
  /** A person answers a question within this time, or the goal ends `prompt_expired`. */
  promptExpiryMs: 30 * 60_000,
  /** The same Idempotency-Key means the same goal for a day. */
  idempotencyWindowMs: 24 * 3_600_000,
  goalTimeoutMinMs: 100,
  goalTimeoutMaxMs: 86_400_000,
  goalWaitMaxMs: 60_000,
  /** Steps of one plan. */
  planSteps: 64,
  /** Characters a sentence may have before it is parsed. */
  sentenceChars: 10_000,
  /** After a cancel the caller waits this long for what the callee says became of the call. */
  cancelSettleMs: 2_000,
  /**
   * Params, result and snapshot of an operation, each as JSON: they stand in one entry with all else that is told of
   * it, and an entry is no larger than a message, where a number may take more than twice its digits.
   */
  recordedBytes: 131_072,
  /** What was seen before, and as much each of evidence and of what an error says. */
  recordedAsideBytes: 65_536,
  /** Characters of an error's message on the record. */
  recordedMessageChars: 4_096,
  /** Forward effects of one operation: each is in its entry. */
  recordedEffects: 256,
  /** Graceful stop. */
  stopMs: 10_000,
  /** What a person says with a decision. */
  commentChars: 1_000,
  /** Entries of one package, which is made whole in memory, and its bytes. */
  auditExportEntries: 20_000,
  auditExportBytes: 67_108_864,
  /** A scope that changed has a signed head after this time. */
  headsEveryMs: 60_000,
  /** Values of one package: a verifier is given anything, and many small ones take the most memory. */
  auditPackageValues: 4_000_000,
  /** Entries that the PDF of a package shows; making one page takes the process that does it some milliseconds. */
  auditPdfEntries: 500,
  /** Refusals that get an entry of their own within a time: a flood of them must not fill the disk. */
  refusalsOfOne: 20,
  refusalsOfAll: 200,
  refusalsWithinMs: 60_000,
  /** Expired snapshots leave the hot view within this time, so many in one batch. */
  upkeepMs: 10 * 60_000,
  evictBatch: 256,
  /** A hot view with more snapshots than this, or more bytes of them, is told: something keeps what it should not. */
  memorySnapshots: 500_000,
  memoryBytes: 1_073_741_824,
  /** A device that was the declared one is taken for it so long. */
  identityMs: 60_000,
  /** A disk with less than both is told: there is time to make space, the record still takes everything. */
  diskLowBytes: 536_870_912,
  diskLowShare: 0.1,
  diskCheckMs: 10_000,
  /** Rows of one page of a listing. */
  pageRows: 500,
} as const;
