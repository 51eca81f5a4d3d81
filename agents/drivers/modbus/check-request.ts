import type { LinkRequest } from '../../../shared/device.js';
import { type FieldProblem, invalidParams } from '../../../shared/errors.js';
import { isBitTable, READ_LIMITS, WRITE_LIMITS } from '../points.js';

/** @throws HermesError `invalid_params` naming each field. Nothing has been sent. */
export function checkRead(request: LinkRequest & { readonly count: number }): void {
  const limit = isBitTable(request.table) ? READ_LIMITS.bits : READ_LIMITS.registers;
  refuse([...placeProblems(request, request.count), ...range('/count', request.count, 1, limit)]);
}

/** @throws HermesError `invalid_params` naming each field. Nothing has been sent. */
export function checkWrite(request: LinkRequest & { readonly values: readonly number[] }): void {
  const bits = isBitTable(request.table);
  const problems = placeProblems(request, request.values.length);
  if (request.table === 'input' || request.table === 'discrete') {
    problems.push({ pointer: '/table', problem: `${request.table} cannot be written` });
  }
  problems.push(...range('/values', request.values.length, 1, bits ? WRITE_LIMITS.bits : WRITE_LIMITS.registers));
  problems.push(...request.values.flatMap((value, index) => range(`/values/${index}`, value, 0, bits ? 1 : 0xffff)));
  refuse(problems);
}

/** @throws HermesError `invalid_params` naming each field. */
export function checkFence(unit: number, register: number, epoch: number): void {
  refuse([
    ...range('/unit', unit, 1, 247),
    ...range('/register', register, 0, 0xfffe),
    ...range('/epoch', epoch, 0, 0xffff_ffff),
  ]);
}

/** Unit 0 is a broadcast and has no answer; 248 and above are reserved. */
function placeProblems({ unit, address }: LinkRequest, count: number): FieldProblem[] {
  const problems = [...range('/unit', unit, 1, 247), ...range('/address', address, 0, 0xffff)];
  if (problems.length === 0 && address + count > 0x1_0000) {
    problems.push({ pointer: '/address', problem: 'reaches beyond 65535' });
  }
  return problems;
}

function range(pointer: string, value: number, low: number, high: number): FieldProblem[] {
  if (Number.isInteger(value) && value >= low && value <= high) return [];
  return [{ pointer, problem: `expected a whole number ${low}–${high}` }];
}

function refuse(problems: readonly FieldProblem[]): void {
  if (problems.length > 0) throw invalidParams('the request is not sound Modbus', problems);
}
