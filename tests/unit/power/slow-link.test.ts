import { expect, test } from 'vitest';
import { defineAgent } from '../../../agents/power/index.js';
import type { DeviceAccess } from '../../../shared/device.js';
import { agentBench } from '../../support/agent-bench.js';
import { type Plant, powerPlant, powerSite } from '../../support/power-site.js';

interface Checked {
  readonly verdict: string;
  readonly findings: readonly { readonly fault: string; readonly device_id: string }[];
  readonly window_ms: number;
}

/** Every device on one link, which asks one after the other: what is slow holds up what is behind it. */
function queued(access: DeviceAccess): DeviceAccess {
  let last: Promise<unknown> = Promise.resolve();
  return {
    ...access,
    read(device, names, options) {
      const answer = last.then(() => access.read(device, names, options));
      last = answer.catch(() => undefined);
      return answer;
    },
  };
}

async function bench(disturb: (plant: Plant) => void) {
  let plant: Plant | undefined;
  const running = await agentBench({
    definition: defineAgent(),
    site: powerSite,
    grants: ['modbus.read:BRK-*', 'modbus.read:M-*'],
    devices: (clock) => {
      plant = powerPlant(clock);
      disturb(plant);
      return queued(plant.access);
    },
  });
  const check = async () => (await running.call('check_supply', { device_id: 'AHU-3' })) as Checked;
  return { check, reads: (plant as unknown as Plant).reads };
}

test('a device that is silent for 3 s makes no neighbour unreachable, and is asked once', async () => {
  const { check, reads } = await bench(({ slow, silent }) => {
    silent.set('BRK-6', 'timeout');
    slow.set('BRK-6', 3_000);
  });
  const said = await check();
  expect(said).toMatchObject({ verdict: 'unknown', findings: [], not_known: ['BRK-6'] });
  expect(reads.filter((id) => id === 'BRK-6')).toHaveLength(1);
  expect(reads.filter((id) => id === 'M-0')).toHaveLength(2);
});

test('a device that answers after 2.5 s is heard, and so is everybody behind it, in time', async () => {
  const { check } = await bench(({ slow }) => void slow.set('BRK-6', 2_500));
  const said = await check();
  expect(said).toMatchObject({ verdict: 'ok', findings: [] });
  expect(said.window_ms).toBeLessThan(7_500);
});

test('values that stand still while a neighbour was waited for are stale without a third look', async () => {
  const { check, reads } = await bench(({ slow, silent, frozen }) => {
    silent.set('M-0', 'timeout');
    slow.set('M-0', 3_300);
    frozen.add('M-3');
  });
  expect((await check()).findings).toContainEqual(expect.objectContaining({ fault: 'meter_stale', device_id: 'M-3' }));
  expect(reads.filter((id) => id === 'M-3')).toHaveLength(2);
});
