/** One way to call another process over the broker; every stack is asked the same question and answers the same. */
export interface Stack {
  /** Serves until the process is ended. */
  openWorker(url: string): Promise<void>;
  /** Resolves when the worker can be called. */
  openClient(url: string): Promise<Client>;
}

export interface Client {
  call(): Promise<void>;
}

/** 435 bytes as JSON: a read of eight registers with what a tool call usually carries. */
export const QUESTION = {
  device_id: 'P-001',
  first: 40_001,
  count: 8,
  unit: 17,
  points: ['supply_temperature', 'return_temperature', 'fan_speed', 'valve_position', 'damper_position'],
  reason: 'the operator asks how the air handling unit on the third floor is doing this morning',
  options: { scale: true, raw: false, timeout_ms: 250, stale_after_ms: 5_000 },
  note: 'x'.repeat(435 - 337),
};

export const ANSWER = {
  device_id: 'P-001',
  registers: [211, 173, 1450, 62, 35, 0, 1, 65_535],
  quality: 'good',
  at: 1_764_000_000_000,
};
