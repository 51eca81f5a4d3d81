import { resolve } from 'node:path';
import { type Cell, openCell } from '../agents/runtime/index.js';
import { homeOf, presentAudit } from '../coordinator/index.js';
import { openTransport } from '../mcp/transport/index.js';
import { loadConfig } from '../shared/config.js';
import { createIds } from '../shared/ids.js';
import { createOpened, openComponentDoors, policyOf } from '../topology/index.js';
import { createHttpClient } from './http-client.js';
import { equip, openSiteProcess, simUrlOf } from './site-process.js';

export interface AuditRow {
  readonly n: number;
  readonly seq: number;
  readonly at: number;
  readonly kind: string;
  readonly outcome: string | null;
  readonly principal: { readonly id: string } | null;
  readonly tool: { readonly name: string } | null;
  readonly goal_id: string | null;
  readonly hash: string;
}

export interface AuditPage {
  readonly entries: readonly AuditRow[];
  readonly next?: number;
}

/** What is asked of a record: the query of `GET /v1/audit`, as text. */
export type AuditWish = Readonly<Record<string, string | undefined>> & { readonly scope: string };

/** Where the record is read: at a running Hermes, or in the data folder of one that is stopped. */
export interface AuditSource {
  page(wish: AuditWish): Promise<AuditPage>;
  package(wish: AuditWish): Promise<Uint8Array>;
}

export function withAuditSource<T>(
  dataDir: string | undefined,
  wish: AuditWish,
  work: (source: AuditSource) => Promise<T>,
): Promise<T> {
  return dataDir === undefined ? work(askedSource()) : withStopped(dataDir, wish, work);
}

function askedSource(): AuditSource {
  const client = createHttpClient(loadConfig().values.url);
  const query = (wish: AuditWish): string =>
    new URLSearchParams(
      Object.entries(wish).filter((pair): pair is [string, string] => pair[1] !== undefined),
    ).toString();
  return {
    page: (wish) => client.get(`/v1/audit?${query(wish)}`),
    package: (wish) => client.bytes(`/v1/audit/export?${query(wish)}`),
  };
}

/**
 * The home's own cell over its log, without the agent: nothing is served and no device is touched. Reading is on the
 * record here, too. @throws HermesError `store_locked` while Hermes runs in that folder.
 */
async function withStopped<T>(dataDir: string, wish: AuditWish, work: (source: AuditSource) => Promise<T>): Promise<T> {
  const own = openSiteProcess(loadConfig({ data_dir: resolve(dataDir) }).values);
  const { topology, site, clock, random, logger, metrics, values } = own;
  const home = wish.component ?? homeOf(wish.scope, site, []);
  const opened = createOpened();
  try {
    const transport = await openTransport('embedded', { dataDir: own.dataDir, clock, random, logger, metrics });
    opened.keep(() => transport.close());
    const equipment = await equip(own, { connect: () => transport }, simUrlOf(values));
    const { doors, close } = await openComponentDoors(equipment.doors, home, { ids: createIds(clock, random) });
    opened.keep(close);
    // Nobody is there to wait for.
    const definition = { name: home, version: '1.0', description: { zh: '', en: '' }, tools: [], countersigns: true };
    const cell = await openCell(definition, doors, policyOf(topology, site, home));
    opened.keep(() => cell.view.close());
    opened.keep(() => cell.caller.close());
    return await work(cellSource(cell));
  } finally {
    await opened.close();
  }
}

function cellSource({ audit }: Cell): AuditSource {
  const principal = { id: 'local_admin', roles: ['admin'] };
  const instant = (text: string | undefined): number | undefined => {
    if (text === undefined) return undefined;
    return /^\d+$/.test(text) ? Number(text) : Date.parse(text);
  };
  return {
    async page({ scope, limit, from_n, from, to, principal: who, goal, outcome }) {
      const found = await audit.search(
        {
          ...{ scope, limit: Number(limit ?? 200), from: instant(from), to: instant(to) },
          ...{ principal: who, goal, outcome, from_n: from_n === undefined ? undefined : Number(from_n) },
        },
        { principal },
      );
      return { ...found, entries: found.entries.map((entry) => presentAudit(entry) as unknown as AuditRow) };
    },
    async package({ scope, from, to }) {
      const wish = { scope, from: instant(from), to: instant(to) };
      const { export_id } = await audit.prepare(wish, { principal });
      const { pieces } = await audit.seal(export_id, principal);
      const parts = Array.from({ length: pieces }, (_, index) => audit.piece(export_id, index, principal));
      return Buffer.concat(parts.map((part) => Buffer.from(part, 'base64')));
    },
  };
}
