import { HermesError } from '../../../shared/errors.js';

interface LevelFault {
  readonly code: string;
  readonly text: string;
}

/** The innermost cause says what happened; LevelDB's own text carries the errno. */
function faultOf(thrown: unknown): LevelFault {
  let inner = thrown;
  while (inner instanceof Error && inner.cause instanceof Error) inner = inner.cause;
  if (!(inner instanceof Error)) return { code: '', text: String(inner) };
  const code = 'code' in inner && typeof inner.code === 'string' ? inner.code : '';
  return { code, text: inner.message };
}

export const isLocked = (thrown: unknown): boolean => faultOf(thrown).code === 'LEVEL_LOCKED';

const isCorrupt = ({ code, text }: LevelFault): boolean =>
  code === 'LEVEL_CORRUPTION' ||
  /corrupt|missing files|does not exist|not an sstable|bad (block|magic)/i.test(text) ||
  // What CURRENT or a manifest names and is not there; LevelDB makes the folder itself.
  /^IO error: .*: (No such file|Invalid argument)/s.test(text);

const isFull = ({ text }: LevelFault): boolean => /no space left|ENOSPC|disk quota/i.test(text);

function nextStep(fault: LevelFault, path: string): string {
  if (isFull(fault)) return `free space on the disk of ${path}; nothing needs to be restarted`;
  if (isCorrupt(fault))
    return `restore ${path} from a backup; a view store may be discarded, it is rebuilt from the log`;
  return `check that ${path} exists, is on a healthy disk and belongs to this user`;
}

/** A failure of the medium, with the path and what to do about it. */
export function levelFailure(thrown: unknown, path: string, doing: string): HermesError {
  if (thrown instanceof HermesError) return thrown;
  const fault = faultOf(thrown);
  return new HermesError(
    'log_unavailable',
    `cannot ${doing} ${path}: ${fault.text}`,
    { path, suggestion: nextStep(fault, path), ...(isCorrupt(fault) && { corrupt: true }) },
    { cause: thrown },
  );
}
