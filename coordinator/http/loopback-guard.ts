import type { FastifyInstance } from 'fastify';
import { HermesError } from '../../shared/errors.js';

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]', '::1']);

/**
 * Without authentication the machine's own users are trusted, and nobody who speaks through their browser: the Host
 * must be a loopback name (no DNS rebinding), the Origin absent or the same (no cross-site posts).
 */
export function guardLoopback(app: FastifyInstance): void {
  app.addHook('onRequest', async (request) => {
    const host = request.headers.host ?? '';
    if (!LOOPBACK.has(hostName(host))) {
      throw new HermesError('not_allowed', `host ${host.slice(0, 80)} is not this machine`, {
        suggestion: 'use http://127.0.0.1 or configure authentication',
      });
    }
    const { origin } = request.headers;
    if (origin !== undefined && origin !== `http://${host}`) {
      throw new HermesError('not_allowed', `origin ${origin.slice(0, 80)} may not ask here`);
    }
  });
}

const hostName = (host: string): string => host.replace(/:\d+$/, '');

/** @throws HermesError `invalid_params` when an address other than loopback is asked for without authentication. */
export function requireLoopback(host: string): void {
  if (LOOPBACK.has(host)) return;
  throw new HermesError('invalid_params', `without authentication only 127.0.0.1 is served, not ${host}`, {
    fields: [{ pointer: '/http/host', problem: 'a loopback address' }],
    suggestion: 'set HERMES_HTTP_HOST=127.0.0.1',
  });
}
