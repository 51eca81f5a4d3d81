import type { LinkRequest } from '../../../shared/device.js';
import type { Send } from './connection.js';

/** The library call of a read; bits as 0 or 1, without the padding of the last byte. */
export function sendRead(request: LinkRequest & { readonly count: number }): Send<number[]> {
  const { unit, table, address, count } = request;
  return (client, done) => {
    const words = (error: Error | null, result: { data: number[] }) => done(error, error ? [] : result.data);
    const bits = (error: Error | null, result: { data: boolean[] }) =>
      done(error, error ? [] : result.data.slice(0, count).map(Number));
    switch (table) {
      case 'coil':
        return client.writeFC1(unit, address, count, bits);
      case 'discrete':
        return client.writeFC2(unit, address, count, bits);
      case 'holding':
        return client.writeFC3(unit, address, count, words);
      case 'input':
        return client.writeFC4(unit, address, count, words);
    }
  };
}

export interface WriteCall {
  readonly functionCode: 5 | 6 | 15 | 16;
  readonly send: Send<unknown>;
}

/** The library call of a write: the single form for one value, the multiple form for more. */
export function sendWrite(request: LinkRequest & { readonly values: readonly number[] }): WriteCall {
  const { unit, table, address, values } = request;
  const [first = 0] = values;
  if (table === 'coil') {
    if (values.length === 1) {
      return { functionCode: 5, send: (client, done) => client.writeFC5(unit, address, first !== 0, done) };
    }
    const states = values.map((value) => value !== 0);
    return { functionCode: 15, send: (client, done) => client.writeFC15(unit, address, states, done) };
  }
  if (values.length === 1) {
    return { functionCode: 6, send: (client, done) => client.writeFC6(unit, address, first, done) };
  }
  return { functionCode: 16, send: sendRegisters(unit, address, values) };
}

/** FC16 whatever the number of registers. */
export const sendRegisters =
  (unit: number, address: number, values: readonly number[]): Send<unknown> =>
  (client, done) =>
    client.writeFC16(unit, address, [...values], done);
