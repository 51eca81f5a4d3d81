import { MCP_VERSION, type Principal, parseOrRefuse, type Request, requestSchema, Stages } from '../../mcp/index.js';
import { openDeadline } from '../../shared/deadline.js';
import { HermesError } from '../../shared/errors.js';
import type { Cell } from './cell.js';
import type { Consistency } from './memory/index.js';
import { type BuiltinMethod, type BuiltinSources, READ_METHODS } from './methods/index.js';
import type { Owned } from './ownership/index.js';
import { tellPoints } from './told-points.js';

export interface LocalRead {
  readonly principal: Principal;
  readonly consistency?: Consistency;
  readonly deadlineAt: number;
}

/** Live points of a device that this agent serves. @throws HermesError `unknown_entity` for any other. */
export function deviceReader(
  { doors, policy }: Cell,
  name: string,
  { keys, ownership }: Owned,
): BuiltinSources['readDevice'] {
  return async (deviceId, asked, deadline) => {
    const device = policy.site.devices.find(({ id, home }) => id === deviceId && home === name);
    if (!device)
      throw new HermesError('unknown_entity', `${name} serves no device ${deviceId}`, { device_id: deviceId });
    const names = asked ?? device.points.map((point) => point.name);
    const strange = names.filter((point) => !device.points.some((one) => one.name === point));
    if (strange.length > 0) throw new HermesError('unknown_entity', `${deviceId} has no point ${strange.join(', ')}`);
    const look = () => doors.devices.read(device, names, { signal: deadline.signal });
    const key = keys.ofLink(device.link);
    const values = await (key ? ownership.use(key, deadline, look) : look());
    const byName = Object.fromEntries(values.map((value) => [value.point, value]));
    return { device_id: deviceId, points: tellPoints(device, names, byName, doors.clock.now()) };
  };
}

/** The same call as one from the bus, from the component to itself. */
export async function readInPlace(
  { component, doors, policy }: Cell,
  builtin: ReadonlyMap<string, BuiltinMethod>,
  method: string,
  params: Readonly<Record<string, unknown>>,
  { principal, consistency, deadlineAt }: LocalRead,
): Promise<unknown> {
  const { clock, ids } = doors;
  const serve = READ_METHODS.some((read) => read === method) ? builtin.get(method) : undefined;
  if (!serve) {
    throw new HermesError('unknown_method', `${component} has no read ${method}`, { methods: [...READ_METHODS] });
  }
  const message = {
    mcp_version: MCP_VERSION,
    request_id: ids.request('read'),
    caller: component,
    callee: component,
    method,
    params,
    deadline_unix_ms: Math.round(deadlineAt),
    tenant: policy.tenant,
    principal,
    ...(consistency ? { consistency_level: consistency } : {}),
  };
  const request = parseOrRefuse(requestSchema, message, 'request') as Request;
  const deadline = openDeadline(clock, deadlineAt);
  try {
    deadline.check(false);
    return await serve({ request, deadline, stages: new Stages(clock, component) });
  } finally {
    deadline.close();
  }
}
