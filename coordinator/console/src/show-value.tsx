import { useConsole } from './console-context.js';
import { clockTime } from './show-time.js';

/** Longer than this is cut, and the whole is offered as JSON. */
const INLINE_CHARS = 240;
const TIME_KEY = /(_at|_time|_unix_ms|heartbeat|^at|^since)$/;

/** One value as a short text: times by the names that times have, structures as compact JSON. */
export function shortValue(key: string, value: unknown, nowMs: number): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'number' && TIME_KEY.test(key) && value > 1e12 && value < 4e12)
    return clockTime(value, nowMs, true);
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(', ') || '–';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > INLINE_CHARS ? `${text.slice(0, INLINE_CHARS)}…` : text;
}

/** Facts as a dense list of name and value; the exact JSON is one click away when something was shortened. */
export function ShowValue({ label, value }: { readonly label: string; readonly value: unknown }) {
  const { text, clock } = useConsole();
  if (value === null || value === undefined) return null;
  const now = clock.now();
  const isObject = typeof value === 'object' && !Array.isArray(value);
  const entries = isObject ? Object.entries(value) : [['', value] as const];
  if (entries.length === 0) return null;
  const cut = entries.some(([key, item]) => shortValue(key, item, now).endsWith('…'));
  return (
    <div className="facts">
      <span className="facts-label">{label}</span>
      <dl>
        {entries.map(([key, item]) => (
          <div key={key}>
            <dt>{key}</dt>
            <dd>{shortValue(key, item, now)}</dd>
          </div>
        ))}
      </dl>
      {cut && (
        <details className="raw">
          <summary>{text.raw}</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard */}
          <pre tabIndex={0}>{JSON.stringify(value, null, 2)}</pre>
        </details>
      )}
    </div>
  );
}
