import type { Clock } from '../../shared/clock.js';
import { HermesError } from '../../shared/errors.js';
import { type RecordBook, scopes, type View } from './record/index.js';

/**
 * Ownership of links. The last `owned` entry on a link's scope names its owner and its fencing token (epoch), which
 * every write of this owner carries to devices with a fence register. Tokens only grow: by compare-and-swap from the
 * last one, and never below the seconds of the clock, so that a record that was lost does not lock its devices.
 * @returns link → epoch.
 */
export async function takeLinks(
  deps: { record: RecordBook; view: View; clock: Clock },
  links: readonly string[],
  instance: string,
): Promise<ReadonlyMap<string, number>> {
  const epochs = new Map<string, number>();
  for (const link of links) epochs.set(link, await takeLink(deps, link, instance));
  return epochs;
}

async function takeLink(
  { record, view, clock }: { record: RecordBook; view: View; clock: Clock },
  link: string,
  instance: string,
): Promise<number> {
  const scope = scopes.link(link);
  for (;;) {
    const head = await record.head(scope);
    await view.waitFor(head.seq);
    const last = head.n > 0 ? await view.entry(scope, head.n) : undefined;
    const before = typeof last?.data?.epoch === 'number' ? last.data.epoch : 0;
    const epoch = Math.max(before + 1, Math.floor(clock.now() / 1_000));
    try {
      await record.claim(scope, head, { kind: 'owned', data: { instance, epoch } });
      return epoch;
    } catch (error) {
      if (!(error instanceof HermesError) || error.reason !== 'version_conflict') throw error;
    }
  }
}
