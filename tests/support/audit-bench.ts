import { type AuditVerdict, readHead, verifyPackage } from '../../agents/runtime/audit/index.js';
import { type Agent, startAgent } from '../../agents/runtime/index.js';
import { scopes } from '../../agents/runtime/record/index.js';
import { subjects } from '../../mcp/index.js';
import type { Log } from '../../mcp/transport/index.js';
import { softwareKeyProvider } from '../../shared/keys/index.js';
import { seededRandom } from '../../shared/random.js';
import { type CellBench, cellBench, toyTool } from './cell-bench.js';
import { siteFixture } from './site-fixture.js';
import { testSigning } from './test-signing.js';
import { collect, silentMetrics } from './transport-harness.js';

export const scope = scopes.device('PLC-007');
export const KEY = testSigning();
export const MINUTE = 60_000;

export const auditBench = async () => {
  const made = await cellBench({
    tools: [
      toyTool('idempotent_write', {
        snapshot: ({ device_id }, { value }) => ({
          data: { device_id, value },
          ...(value === 99 ? { readers: ['security'] } : {}),
        }),
      }),
    ],
    roles: {
      admin: { read: ['*'], write: ['*'] },
      node: { read: ['device_*'], write: [] },
    },
  });
  const { clock, call, sim } = made;
  const heads: Log = sim.connect('reader').transport.heads;
  const headsOf = async (pattern = subjects.headsOf('default', 'worker')) =>
    (await clock.run(collect(heads.read(pattern)))).map(({ payload }) => readHead(payload));
  const write = (value: number) => call({ params: { device_id: 'PLC-007', value } });
  const ask = async (method: string, params: Record<string, unknown>, role = 'admin') => {
    const { response } = await call({ method, params, principal: { id: `the_${role}`, roles: [role] } });
    return response.result as Record<string, unknown>;
  };
  const exported = async (params: Record<string, unknown> = { scope }, role = 'admin'): Promise<Uint8Array> => {
    const { export_id } = await ask('audit_export', params, role);
    const { pieces } = await ask('audit_seal', { export_id }, role);
    const parts: Buffer[] = [];
    for (let index = 0; index < (pieces as number); index++) {
      const { piece } = await ask('audit_piece', { export_id, index }, role);
      parts.push(Buffer.from(piece as string, 'base64'));
    }
    return Buffer.concat(parts);
  };
  return { ...made, heads, headsOf, write, ask, exported };
};
export const packOf = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString('utf8'));
export const verify = (bytes: Uint8Array, ...others: string[]): AuditVerdict =>
  verifyPackage(bytes, KEY.publicPem, others);

/** A component that checks the heads of the others; it shares their master key. */
export function checker({ clock, ids, sim, complaints }: CellBench): Promise<Agent> {
  const random = seededRandom(5);
  const note = (_fields: unknown, message: string): void => void complaints.push(message);
  const logger = { debug: note, info: note, warn: note, error: note, child: () => logger };
  const nothing = async (): Promise<never> => Promise.reject(new Error('no devices here'));
  const doors = {
    ...{ transport: sim.connect('checker').transport, clock, random, ids, logger, metrics: silentMetrics() },
    keys: softwareKeyProvider('sim', new Uint8Array(32).fill(7), random.stream('keys')),
    signing: testSigning('checker'),
    devices: { read: nothing, write: nothing, fence: async () => undefined, release: async () => undefined },
  };
  const definition = {
    name: 'checker',
    version: '1.0',
    description: { zh: '', en: '' },
    tools: [],
    countersigns: true,
  };
  const policy = {
    ...{ tenant: 'default', site: siteFixture, grants: [], allow: { '*': ['*'] }, links: [] },
    roles: { admin: { read: ['*'], write: ['*'] } },
    maySpeakForPeople: new Set<string>(),
  };
  return clock.run(startAgent(definition, doors, policy));
}
