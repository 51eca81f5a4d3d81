import { ServiceBroker } from 'moleculer';
import { ANSWER, type Stack } from './stack.js';

/** Moleculer as its guide sets it up for production: retry, breaker, request tracking; validator on (its default). */
const brokerOf = (url: string, nodeID: string, traced: boolean): ServiceBroker =>
  new ServiceBroker({
    nodeID,
    namespace: traced ? 'traced' : 'plain',
    logger: false,
    transporter: { type: 'NATS', options: { url } },
    retryPolicy: { enabled: true, retries: 3, delay: 100, maxDelay: 1_000, factor: 2 },
    circuitBreaker: { enabled: true, threshold: 0.5, minRequestCount: 20, windowTime: 60, halfOpenTime: 10_000 },
    tracking: { enabled: true, shutdownTimeout: 1_000 },
    requestTimeout: 10_000,
    ...(traced ? { tracing: { enabled: true, sampling: { rate: 0.1 }, exporter: { type: 'Event' } } } : {}),
  });

const SCHEMA = { device_id: 'string', first: 'number', count: 'number', unit: 'number', note: 'string' };

const moleculerStack = (traced: boolean): Stack => ({
  async openWorker(url) {
    const broker = brokerOf(url, `worker-${process.pid}`, traced);
    broker.createService({
      name: 'worker',
      actions: { read_registers: { params: SCHEMA, handler: () => ANSWER } },
    });
    await broker.start();
  },
  async openClient(url, question) {
    const broker = brokerOf(url, `client-${process.pid}`, traced);
    await broker.start();
    await broker.waitForServices('worker');
    return { call: () => broker.call('worker.read_registers', question).then(() => undefined) };
  },
});

export const moleculer = moleculerStack(false);
export const moleculerTraced = moleculerStack(true);
