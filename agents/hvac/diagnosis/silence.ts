import { CONFIDENCE } from '../config.js';
import { type Found, type Skipped, skip } from './finding.js';
import type { Seen } from './looks.js';

/**
 * Causes by which nothing at all came back. An exception, or a gateway that speaks for a unit, shows that the link
 * lives.
 */
const NOTHING_CAME: ReadonlySet<string> = new Set(['timeout', 'closed', 'refused']);

/**
 * What did not answer: findings, for whoever is silent cannot be told healthy. Where nothing came back from any of the
 * two or more devices that were asked on a link it is one finding, the link's, told of the first of them (air handlers
 * stand first); a link of which one device alone was asked cannot be told from the device.
 */
export function silences(seen: readonly Seen[]): { readonly found: Found[]; readonly skipped: Skipped[] } {
  const found: Found[] = [];
  const skipped: Skipped[] = [];
  for (const link of new Set(seen.map((one) => one.device.link))) {
    const asked = seen.filter((one) => one.device.link === link && !one.unasked);
    const silent = asked.filter((one) => one.silent !== undefined);
    const dead =
      asked.length > 1 && asked.every(({ looks, silent: cause = '' }) => looks.length === 0 && NOTHING_CAME.has(cause));
    if (!dead) {
      found.push(...silent.map(unreachable));
      continue;
    }
    found.push(linkDown(link, asked));
    skipped.push(...asked.map(({ device }) => skip('LINK', device, `explained by link ${link}, which is silent`)));
  }
  return { found, skipped };
}

const unreachable = ({ device, looks, silent }: Seen): Found => ({
  device,
  fault: 'equipment_unreachable',
  rule: 'LINK',
  severity: 'high',
  confidence: looks.length === 0 ? CONFIDENCE.proven : CONFIDENCE.likely,
  evidence: { [`${device.id}.link`]: silent ?? null },
});

function linkDown(link: string, asked: readonly Seen[]): Found {
  const [first] = asked as readonly [Seen, ...Seen[]];
  return {
    device: first.device,
    link,
    devices: asked.map(({ device }) => device.id),
    fault: 'link_unreachable',
    rule: 'LINK-ALL',
    severity: 'high',
    confidence: CONFIDENCE.proven,
    evidence: Object.fromEntries(asked.map(({ device, silent }) => [`${device.id}.link`, silent ?? null])),
  };
}
