/** One way to call another process over the broker; every stack is asked the same question and answers the same. */
export interface Stack {
  /** Serves until the process is ended. */
  openWorker(url: string): Promise<void>;
  /** Resolves when the worker can be called. */
  openClient(url: string, question: Question): Promise<Client>;
}

export interface Client {
  call(): Promise<void>;
}

/** What is asked: a read of eight registers. Whatever `note` is asked to carry besides makes it longer. */
export interface Question {
  readonly device_id: string;
  readonly first: number;
  readonly count: number;
  readonly unit: number;
  readonly note: string;
}

/** @param noteBytes bytes of params beside the read itself. */
export const questionOf = (noteBytes: number): Question => ({
  device_id: 'P-001',
  first: 40_001,
  count: 8,
  unit: 17,
  note: 'x'.repeat(noteBytes),
});

export const ANSWER = {
  device_id: 'P-001',
  registers: [211, 173, 1450, 62, 35, 0, 1, 65_535],
  quality: 'good',
  at: 1_764_000_000_000,
};
