/** The plant round the scripted goal: trace, agents, devices as the contract shows them. */
const T0 = Date.now();
const stage = (name: string, component: string, at: number, ms: number, more = {}) => ({
  name,
  component,
  instance: `${component}-a3f9k2qd`,
  start_unix_ms: T0 + at,
  ms,
  ...more,
});

export const TRACE = {
  trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
  goal_id: 'g-demo1',
  stages: [
    stage('alarm device_offline', 'plc_controller', -64_200, 0.2),
    stage('accept goal', 'coordinator', 0, 3.4),
    stage('parse', 'coordinator', 3.4, 0.3),
    stage('plan', 'coordinator', 3.7, 1.9),
    stage('preflight', 'coordinator', 5.6, 12.1),
    stage('get_device_status', 'plc_controller', 18, 41),
    stage('restart_device', 'plc_controller', 61, 2_463),
    stage('modbus write holding 100', 'plc_controller', 64, 8.6, { error: { reason: 'exception_busy' } }),
    stage('undo write holding 100', 'plc_controller', 74, 6.1, { rollback: true }),
    stage('wait for the heartbeat', 'plc_controller', 88, 2_430),
    stage('notify', 'maintenance_scheduling_agent', 2_530, 88),
    stage('answer', 'coordinator', 2_620, 1.2),
  ],
};

const agent = (name: string, version: string, methods: string[], count = 1, state = 'ready') => ({
  name,
  version,
  supported_mcp_versions: ['1.0', '1.2'],
  state,
  methods,
  instances: Array.from({ length: count }, (_, index) => ({
    instance: `${name}-${'abcdefgh'.slice(index)}${index}`,
    state,
    load: 0.12,
    owns: [],
    since: T0,
  })),
  circuits: [],
});

export const AGENTS = [
  agent('production_coordinator_v1.0', '1.0.0', ['submit_goal']),
  agent('plc_controller', '1.2.0', ['get_device_status', 'restart_device', 'read_points', 'write_point'], 2),
  agent('floor3_hvac_agent', '1.0.0', ['get_zone_status', 'diagnose', 'set_setpoint']),
  agent('power_supply_agent', '1.0.0', ['check_supply', 'read_meter'], 1, 'draining'),
  agent('maintenance_scheduling_agent', '1.0.0', ['create_work_order', 'notify', 'query_inventory']),
];

const device = (id: string, kind: string, zone: string, unit: number, status?: string) => ({
  id,
  kind,
  zone,
  link: { host: '127.0.0.1', port: 50_200 + unit, unit },
  ...(status && { status }),
});

export const DEVICES = [
  ...Array.from({ length: 12 }, (_, index) => {
    const id = `PLC-${String(index + 1).padStart(3, '0')}`;
    return device(id, 'plc', `F${1 + (index % 3)}-A`, 1 + (index % 4), id === 'PLC-007' ? 'OFFLINE' : 'ONLINE');
  }),
  device('AHU-1', 'ahu', 'F1-A', 1),
  device('AC-1', 'split_unit', 'F3-A', 2),
  device('M-0', 'feeder_meter', '', 1),
  device('CAM-1', 'camera', 'F1-A', 1),
];

export function deviceDetail(id: string, now: number) {
  const found = DEVICES.find((item) => item.id === id);
  const good = { status: 'good' };
  return {
    ...found,
    points: [
      { point: 'status', value: 0, unit: '', quality: good, source_time_unix_ms: now - 300 },
      { point: 'temperature', value: 41.2000001, unit: '°C', quality: good, source_time_unix_ms: now - 300 },
      {
        point: 'heartbeat',
        value: null,
        quality: { status: 'bad', reason: 'COMM_TIMEOUT' },
        source_time_unix_ms: now - 64_200,
      },
    ],
  };
}
