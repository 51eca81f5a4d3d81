/**
 * What a suite repeats: fewer in the everyday run, all of it with `HERMES_FULL_COUNTS=1`, which is run before an issue
 * is called resolved.
 */
export const times = (full: number, everyday: number): number =>
  process.env.HERMES_FULL_COUNTS === '1' ? full : everyday;
