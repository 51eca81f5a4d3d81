import { Readable } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import type { Logger } from '../../shared/telemetry/logger.js';
import { openBackup } from '../backup.js';
import { type HttpContext, principalOf } from './context.js';

/** The answer is on its way: who asks sees it break off, and the reason stands here. */
async function* told(lines: AsyncGenerator<string>, logger: Logger): AsyncGenerator<string> {
  try {
    yield* lines;
  } catch (error) {
    logger.error({ err: error }, 'a backup broke off');
    throw error;
  }
}

/** The whole record as one file; what it holds is sealed as it is on the disk. */
export function backupRoutes(app: FastifyInstance, { coordinator, logger }: HttpContext): void {
  app.post(
    '/v1/backup',
    { schema: { tags: ['audit'], summary: 'The whole record of the site as one file, made while it runs' } },
    async (request, reply) => {
      const lines = await openBackup(coordinator.agent.cell, principalOf(request));
      return reply
        .type('application/x-ndjson')
        .header('content-disposition', 'attachment; filename="hermes.backup"')
        .send(Readable.from(told(lines, logger)));
    },
  );
}
