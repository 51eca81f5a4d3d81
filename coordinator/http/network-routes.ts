import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type DeadLetter, MCP_VERSION, sumVersionReports, type VersionReport } from '../../mcp/index.js';
import type { Member } from '../../mcp/transport/index.js';
import { toHermesError } from '../../shared/errors.js';
import { type HttpContext, principalOf } from './context.js';

/** What each instance is given to answer. */
const ASK_MS = 3_000;

/** What only the instances themselves know of the network: each is asked; who does not answer is named. */
export function networkRoutes(app: FastifyInstance, context: HttpContext): void {
  const everybody = askEverybody(context);
  const tags = ['journal'];
  const letters = { tags, summary: 'Messages that were refused and could not be answered' };
  app.get('/v1/dead-letters', { schema: letters }, async (request) => {
    const { answers, silent } = await everybody<{ letters: readonly DeadLetter[] }>('dead_letters', request);
    const found = answers.flatMap(([instance, answer]) => answer.letters.map((letter) => ({ ...letter, instance })));
    return { letters: found.sort((a, b) => a.at - b.at), silent };
  });
  const versions = { tags, summary: 'Share of each protocol version by caller, over seven days' };
  app.get('/v1/mcp/versions', { schema: versions }, async (request) => {
    const { answers, silent } = await everybody<VersionReport>('version_use', request);
    const reports = answers.map(([, report]) => report);
    const { days, shares, maySwitchOff } = sumVersionReports(reports, MCP_VERSION);
    return { current: MCP_VERSION, days, shares, may_switch_off: maySwitchOff, silent };
  });
}

function askEverybody({ coordinator, clock, logger }: HttpContext) {
  const { discovery, agent } = coordinator;
  return async <T>(method: string, request: FastifyRequest) => {
    const principal = principalOf(request);
    const deadlineAt = clock.now() + ASK_MS;
    const ask = async ({ component, version, instance }: Member): Promise<unknown> => {
      if (instance === agent.cell.instance) return agent.read(method, {}, { principal, deadlineAt });
      const call = { callee: `${component}_v${version}`, method, params: {}, instance, principal, deadlineAt };
      return (await agent.cell.caller.call(call)).response.result;
    };
    const silent: string[] = [];
    const answers: (readonly [instance: string, answer: T])[] = [];
    await Promise.all(
      discovery.members().map(async (member) => {
        try {
          answers.push([member.instance, (await ask(member)) as T]);
        } catch (thrown) {
          const { reason, message } = toHermesError(thrown);
          logger.info({ instance: member.instance, method, reason, detail: message }, 'an instance did not answer');
          silent.push(member.instance);
        }
      }),
    );
    return { answers: answers.sort(([a], [b]) => (a < b ? -1 : 1)), silent: silent.sort() };
  };
}
