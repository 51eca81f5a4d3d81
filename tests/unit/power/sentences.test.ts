import { describe, expect, test } from 'vitest';
import { planned, siteEngine, talkWith } from '../../support/site-engine.js';

const engine = await siteEngine();
const calls = (text: string): string[] => planned(talkWith(engine)(text));
const zone = (id: string): string => `check_supply {"zone":"${id}"}`;
const device = (id: string): string => `check_supply {"device_id":"${id}"}`;
const floor = (id: number): string => `check_supply {"floor":${id}}`;
const feeder = (id: string): string => `check_supply {"feeder":"${id}"}`;
const meter = (id: string): string => `read_meter {"meter_id":"${id}"}`;

describe('what is asked of the power agent, beside all other agents of the site', () => {
  test.each([
    ['检查三楼A区供电', zone('F3-A')],
    ['请检查一下三楼A区的供电情况', zone('F3-A')],
    ['三楼A区供电正常吗', zone('F3-A')],
    ['看看F2-B的电源有没有问题', zone('F2-B')],
    ['三楼A区停电了吗', zone('F3-A')],
    ['二楼C区有电吗', zone('F2-C')],
    ['三楼A区停电了', zone('F3-A')],
    ['三楼停电了', floor(3)],
    ['三楼没电', floor(3)],
    ['检查三楼供电', floor(3)],
    ['F3-A has no power', zone('F3-A')],
    ['there is no power in F3-A', zone('F3-A')],
    ['floor 3 has no power', floor(3)],
    ['check the supply of floor 3', floor(3)],
    ['AHU-3 has no power', device('AHU-3')],
    ['检查BRK-3', feeder('BRK-3')],
    ['check BRK-3', feeder('BRK-3')],
    ['读一下BRK-3', feeder('BRK-3')],
    ['检查M-3', meter('M-3')],
    ['check the supply of zone A on floor 3', zone('F3-A')],
    ['please check the power supply of zone A on floor 3', zone('F3-A')],
    ['is the power to zone B on floor 2 ok?', zone('F2-B')],
    ['does zone A on floor 3 have power?', zone('F3-A')],
    ['AHU-3的供电正常吗', device('AHU-3')],
    ['检查AHU-3的供电', device('AHU-3')],
    ['查一下PLC-007的电源', device('PLC-007')],
    ['检查馈线M-3', device('M-3')],
    ['检查断路器BRK-3', device('BRK-3')],
    ['BRK-3跳闸了吗', device('BRK-3')],
    ['is the power to AHU-3 ok', device('AHU-3')],
    ['check the power supply of AHU-3', device('AHU-3')],
    ['check feeder M-3', device('M-3')],
    ['has breaker BRK-3 tripped?', device('BRK-3')],
    ['读一下M-3电表', meter('M-3')],
    ['M-3的电压是多少', meter('M-3')],
    ['3号电表读数', meter('M-3')],
    ['抄一下M-0的表', meter('M-0')],
    ['总电表的功率是多少', meter('M-0')],
    ['查一下M-1的电量', meter('M-1')],
    ['read meter M-3', meter('M-3')],
    ['what is the voltage of M-3?', meter('M-3')],
    ['show me the readings of M-0', meter('M-0')],
    ['what does meter M-2 say?', meter('M-2')],
  ])('%s', (text, expected) => {
    expect(calls(text)).toContain(expected);
    expect(calls(text)).toHaveLength(1);
  });

  test.each([
    ['查PLC-007状态', 'get_device_status {"device_id":"PLC-007"}'],
    ['check the status of PLC-007', 'get_device_status {"device_id":"PLC-007"}'],
    ['PLC-003的电压是多少', 'read_points {"device_id":"PLC-003","points":["voltage"]}'],
    ['PLC-007正常吗', 'get_device_status {"device_id":"PLC-007"}'],
  ])('%s stays with the controllers', (text, expected) => {
    expect(calls(text)).toEqual([expected]);
  });

  test('asked without a place: which one; the answer goes on', () => {
    const talk = talkWith(engine);
    expect(planned(talk('检查供电'))).toEqual(['ask missing']);
    expect(planned(talk('三楼A区'))).toEqual([zone('F3-A')]);
  });

  test('of a zone that was spoken of before', () => {
    const talk = talkWith(engine);
    talk('检查三楼A区供电');
    expect(planned(talk('再查一遍'))).toEqual([zone('F3-A')]);
  });

  test.each([
    ['关闭BRK-3'],
    ['断开BRK-3'],
    ['合上BRK-3'],
    ['断开断路器BRK-3'],
    ['open breaker BRK-3'],
    ['close BRK-3'],
  ])('%s: nobody moves a breaker yet, and it does not become a read', (text) => {
    expect(['refuse', 'not_understood']).toContain(calls(text)[0]?.split(' ')[0]);
  });

  test('a denial checks nothing', () => {
    expect(calls('不要检查三楼A区供电')).toEqual(['none']);
  });
});
