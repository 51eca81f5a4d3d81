import { describe, expect, test } from 'vitest';
import { chainOf } from '../../../agents/power/subjects.js';
import { HermesError } from '../../../shared/errors.js';
import { powerSite } from '../../support/power-site.js';

const thrown = (run: () => unknown): HermesError => {
  try {
    run();
  } catch (error) {
    if (error instanceof HermesError) return error;
  }
  throw new Error('expected a HermesError');
};

describe('the chain of a supply, from the subject upwards', () => {
  test.each([
    [{ device_id: 'AHU-3' }, ['AHU-3', 'BRK-6', 'BRK-3', 'M-3', 'BRK-8', 'M-0'], [['BRK-6', 'BRK-3', 'BRK-8']]],
    [
      { device_id: 'VAV-301' },
      ['VAV-301', 'AHU-3', 'BRK-6', 'BRK-3', 'M-3', 'BRK-8', 'M-0'],
      [['BRK-6', 'BRK-3', 'BRK-8']],
    ],
    [
      { zone: 'F3-A' },
      ['VAV-301', 'PLC-010', 'AHU-3', 'BRK-6', 'BRK-3', 'M-3', 'BRK-8', 'M-0'],
      [
        ['BRK-6', 'BRK-3', 'BRK-8'],
        ['BRK-3', 'BRK-8'],
      ],
    ],
    [{ zone: 'F1-A' }, ['BRK-1', 'M-1', 'BRK-8', 'M-0'], [['BRK-1', 'BRK-8']]],
    [{ floor: 1 }, ['BRK-1', 'M-1', 'BRK-8', 'M-0'], [['BRK-1', 'BRK-8']]],
    [{ feeder: 'M-3' }, ['BRK-3', 'M-3', 'BRK-8', 'M-0'], [['BRK-3', 'BRK-8']]],
    [{ feeder: 'BRK-6' }, ['BRK-6', 'BRK-3', 'M-3', 'BRK-8', 'M-0'], [['BRK-6', 'BRK-3', 'BRK-8']]],
    [{ device_id: 'M-3' }, ['BRK-3', 'M-3', 'BRK-8', 'M-0'], [['BRK-3', 'BRK-8']]],
  ])('of %j', (subject, ids, routes) => {
    const chain = chainOf(powerSite, subject);
    expect(chain.ids).toEqual(ids);
    expect(chain.routes.map(({ breakers }) => breakers)).toEqual(routes);
    expect(chain.unpowered).toEqual([]);
  });

  test('a device that does not say what powers it is checked by the feeder of its floor, and that is said', () => {
    const chain = chainOf(powerSite, { device_id: 'PLC-010' });
    expect(chain.routes.map(({ breakers }) => breakers)).toEqual([['BRK-3', 'BRK-8']]);
    expect(chain.unpowered).toEqual(['PLC-010']);
  });

  test('where the floor has no feeder either, there is no route', () => {
    expect(chainOf(powerSite, { device_id: 'PLC-001' })).toMatchObject({ routes: [], unpowered: ['PLC-001'] });
    expect(chainOf(powerSite, { zone: 'F2-A' })).toMatchObject({ routes: [], unpowered: ['PLC-001'] });
  });

  test('a meter that measures nothing is a route of its own', () => {
    const lone = powerSite.devices.map(({ measures: _measures, ...device }) => device);
    const chain = chainOf({ ...powerSite, devices: lone }, { feeder: 'M-3' });
    expect(chain).toMatchObject({ ids: ['M-3'], routes: [{ breakers: [], meters: ['M-3'] }] });
  });

  test.each([
    [{ device_id: 'AHU-4' }, 'device_id', 'AHU-3'],
    [{ zone: 'F3-D' }, 'zone', 'F3-A'],
    [{ feeder: 'M-4' }, 'feeder', 'M-3'],
    [{ floor: 9 }, 'floor', '3'],
    [{ feeder: 'AHU-3' }, 'feeder', undefined],
  ])('%j is unknown; the field and the nearest are named', (subject, field, near) => {
    const error = thrown(() => chainOf(powerSite, subject));
    expect(error.reason).toBe('unknown_entity');
    expect(error.data.fields?.[0]?.pointer).toBe(`/params/${field}`);
    if (near) expect(error.data.candidates).toContain(near);
  });
});
