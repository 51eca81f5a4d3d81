/** One frame as it passed the device's end of the link. */
export interface SimFrame {
  /** Unix milliseconds. */
  readonly at: number;
  /** Absent: no device answers as this unit. */
  readonly device?: string;
  readonly link: string;
  readonly dir: 'in' | 'out';
  readonly unit: number;
  readonly fc: number;
  readonly address: number;
  readonly values: readonly number[];
  /** Exception code of a refusing reply. */
  readonly exception?: number;
  /** The whole ADU in hexadecimal. */
  readonly raw: string;
}

export interface FrameFilter {
  readonly device?: string;
  /** Unix milliseconds, inclusive. */
  readonly since?: number;
}

export interface FrameLog {
  add(frame: SimFrame): void;
  list(filter?: FrameFilter): SimFrame[];
  clear(): void;
}

/** The last `capacity` frames; older ones are forgotten, so that a long run does not grow. */
export function createFrameLog(capacity = 20_000): FrameLog {
  let frames: SimFrame[] = [];
  return {
    add(frame) {
      frames.push(frame);
      if (frames.length >= capacity * 2) frames = frames.slice(-capacity);
    },
    list: ({ device, since } = {}) =>
      frames
        .slice(-capacity)
        .filter((f) => (device === undefined || f.device === device) && (since === undefined || f.at >= since)),
    clear() {
      frames = [];
    },
  };
}
