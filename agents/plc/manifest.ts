import type { AgentDefinition } from '../runtime/index.js';
import { plcRulePack } from './intents.js';
import { getDeviceStatus } from './tools/get-device-status.js';
import { readPoints } from './tools/read-points.js';
import { restartDevice } from './tools/restart-device.js';
import { setMode } from './tools/set-mode.js';
import { writePoint } from './tools/write-point.js';

/** The PLC agent: status, restart and points of controllers over Modbus TCP. */
export function defineAgent(name = 'plc_controller'): AgentDefinition {
  return {
    name,
    version: '1.2',
    description: {
      zh: '控制器：状态、重启、模式、读写点位',
      en: 'controllers: status, restart, mode, reading and writing points',
    },
    tools: [getDeviceStatus(), restartDevice(), readPoints(), writePoint(), setMode()],
    rulePack: plcRulePack,
  };
}
