import { CONFIDENCE, G36, RANGES } from '../config.js';
import type { Look, Rule } from './rule.js';

const away = (look: Look): number => look.number('damper_command') - look.number('damper_position');

/** Its damper opens: the air follows it, with controllers that decide every few seconds not within the looks. */
const opens = (first: Look, last: Look): boolean =>
  first.has('damper_position') &&
  last.has('damper_position') &&
  last.number('damper_position') - first.number('damper_position') > RANGES.damperMovesPercent;

/** Share of the wanted airflow that comes; a box that wants none has all of it. */
function flowShare(look: Look): number {
  const wanted = look.number('airflow_setpoint');
  return wanted > 0 ? look.number('airflow') / wanted : 1;
}

/** G36 5.6.6.1: airflow below a share of the set-point. The 5 minutes are not waited for: `transient`. */
const lowFlow = (level: 2 | 3, share: number, severity: Rule['severity']): Rule => ({
  name: `G36-5.6.6-L${level}`,
  fault: 'low_airflow',
  kind: 'vav',
  severity,
  confidence: CONFIDENCE.transient,
  points: ['airflow', 'airflow_setpoint'],
  optional: ['damper_position'],
  needsAir: true,
  unless: (look) => (look.number('airflow_setpoint') > 0 ? undefined : 'no airflow is wanted'),
  shows: (look) => flowShare(look) < share,
  underWay: (first, last) => {
    if (flowShare(last) - flowShare(first) > RANGES.flowRises) return 'the airflow is rising';
    return opens(first, last) ? 'the damper is opening' : undefined;
  },
});

/** Terminal boxes: damper and airflow. */
export const TERMINAL_RULES: readonly Rule[] = [
  {
    /**
     * Position away from the command by more than 10 % in every look, and not on its way there: an actuator takes 60 to
     * 150 s for its stroke, so one that works moves by 1 to 2.5 % in 1.5 s.
     */
    name: 'DAMPER-CMD',
    fault: 'damper_stuck',
    kind: 'vav',
    severity: 'medium',
    confidence: CONFIDENCE.said,
    points: ['damper_command', 'damper_position'],
    shows: (look) => Math.abs(away(look)) > RANGES.damperErrorPercent,
    underWay: (first, last) => {
      const moved = last.number('damper_position') - first.number('damper_position');
      return Math.sign(away(first)) * moved > RANGES.damperMovesPercent ? 'the damper is on its way' : undefined;
    },
  },
  lowFlow(2, G36.veryLowFlowShare, 'high'),
  lowFlow(3, G36.lowFlowShare, 'medium'),
];
