import { type RecordBook, scopes } from './record/index.js';

/**
 * Ownership of links. The last `owned` entry on a link's scope names its owner; the entry's sequence is the fencing
 * token (epoch) that every write of this owner carries to devices with a fence register.
 * @returns link → epoch.
 */
export async function takeLinks(
  record: RecordBook,
  links: readonly string[],
  instance: string,
): Promise<ReadonlyMap<string, number>> {
  const epochs = new Map<string, number>();
  for (const link of links) {
    const entry = await record.append(scopes.link(link), { kind: 'owned', data: { instance } });
    epochs.set(link, entry.seq);
  }
  return epochs;
}
