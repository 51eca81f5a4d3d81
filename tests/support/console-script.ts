/** The first goal of the demo site, as the coordinator's contract shows it, one change at a time. */
export interface ScriptedStep {
  id: string;
  callee: string;
  method: string;
  params: Record<string, unknown>;
  when?: string;
  depends_on: string[];
  state: string;
  attempts: number;
  degraded: boolean;
  result: unknown;
  error: unknown;
  served_by: string | null;
  started_at: number | string | null;
  ended_at: number | string | null;
  why?: string;
}

export interface ScriptedGoal {
  goal_id: string;
  session_id: string;
  trace_id: string;
  goal: string;
  language: string;
  state: string;
  phase: string | null;
  prompt: unknown;
  approvals: unknown[];
  plan: { steps: ScriptedStep[] };
  answer: unknown;
  error: unknown;
  usage: { tokens: number; steps: number; ms: number; cost: number };
  created_at: string;
  ended_at: number | null;
  seq: number;
}

const step = (
  id: string,
  callee: string,
  method: string,
  params: Record<string, unknown>,
  more = {},
): ScriptedStep => ({
  id,
  callee,
  method,
  params,
  depends_on: [],
  state: 'pending',
  attempts: 0,
  degraded: false,
  result: null,
  error: null,
  served_by: null,
  started_at: null,
  ended_at: null,
  ...more,
});

export function firstGoal(number: number, text: string, sessionId: string): ScriptedGoal {
  const offline = "steps.s1.result.status == 'OFFLINE'";
  return {
    goal_id: `g-demo${number}`,
    session_id: sessionId,
    trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
    goal: text,
    language: /[一-鿿]/.test(text) ? 'zh' : 'en',
    state: 'running',
    phase: 'tool_use',
    prompt: null,
    approvals: [],
    plan: {
      steps: [
        step('s1', 'plc_controller', 'get_device_status', { device_id: 'PLC-007' }),
        step('s2', 'plc_controller', 'restart_device', { device_id: 'PLC-007' }, { depends_on: ['s1'], when: offline }),
        step(
          's3',
          'maintenance_scheduling_agent',
          'notify',
          { recipients: ['zhang'], channel: 'email' },
          { depends_on: ['s2'] },
        ),
      ],
    },
    answer: null,
    error: null,
    usage: { tokens: 0, steps: 0, ms: 0, cost: 0 },
    created_at: new Date().toISOString(),
    ended_at: null,
    seq: 1,
  };
}

const STATUS = {
  device_id: 'PLC-007',
  status: 'OFFLINE',
  mode: null,
  last_heartbeat: null,
  error_code: 'COMM_TIMEOUT',
};

export function setStep(goal: ScriptedGoal, id: string, change: Partial<ScriptedStep>): void {
  const found = goal.plan.steps.find((item) => item.id === id);
  if (found) Object.assign(found, change);
}

export function begin(goal: ScriptedGoal, id: string): void {
  setStep(goal, id, { state: 'running', attempts: 1, started_at: Date.now(), served_by: 'plc_controller-a3f9k2qd' });
}

export function statusRead(goal: ScriptedGoal): void {
  const now = Date.now();
  setStep(goal, 's1', { state: 'completed', attempts: 1, result: STATUS, started_at: now - 41, ended_at: now });
  begin(goal, 's2');
}

export function restarted(goal: ScriptedGoal): void {
  const now = Date.now();
  const result = { result: 'confirmed', reboot_time: 2_140, downtime_ms: 2_410, verification: { heartbeat: [41, 42] } };
  const ended = new Date(now).toISOString();
  setStep(goal, 's2', { state: 'completed', attempts: 2, result, started_at: now - 2_463, ended_at: ended });
}

/** The directory knows two people of that name. */
export function asks(goal: ScriptedGoal): void {
  goal.state = 'paused';
  goal.phase = null;
  setStep(goal, 's3', { state: 'waiting' });
  goal.prompt = {
    reason: 'ambiguous',
    text: goal.language === 'zh' ? '通知哪一位张工？' : 'Which Zhang is to be notified?',
    missing: ['recipients'],
    candidates: [{ id: 'zhang', text: '张工 Zhang (PLC, electrical)' }, '张敏'],
  };
}

export function answered(goal: ScriptedGoal, text: string): void {
  goal.state = 'running';
  goal.phase = 'tool_use';
  goal.prompt = null;
  setStep(goal, 's3', { params: { recipients: [text], channel: 'email' } });
  begin(goal, 's3');
}

export function notified(goal: ScriptedGoal): void {
  const now = Date.now();
  const delivery = { recipient: 'zhang', address: 'zhang@x-lab.example', channel: 'email', state: 'sent' };
  const result = { deliveries: [delivery], deduplicated: false };
  setStep(goal, 's3', { state: 'completed', attempts: 1, result, started_at: now - 88, ended_at: now });
  goal.state = 'completed';
  goal.phase = null;
  goal.ended_at = now;
  goal.usage = { tokens: 0, steps: 3, ms: 2_700, cost: 0 };
  const zh = 'PLC-007 离线（COMM_TIMEOUT），已重启，停机 2.41 秒，心跳恢复；已邮件通知张工。';
  const en = 'PLC-007 was offline (COMM_TIMEOUT). Restarted, down for 2.41 s, heartbeat is back. Zhang was mailed.';
  goal.answer = { text: goal.language === 'zh' ? zh : en, language: goal.language, degraded: false };
}

/** A goal that fails with everything a failure can carry. */
export function restartFails(goal: ScriptedGoal): void {
  const now = Date.now();
  const error = {
    code: 500,
    reason: 'restart_failed',
    message: 'no heartbeat within 8 s',
    where: 'plc_controller.restart_device / PLC-007 holding 100',
    rollback_executed: true,
    rollback_ms: 212,
    suggestion: 'check the power supply of PLC-007',
  };
  setStep(goal, 's2', { state: 'failed', attempts: 1, error, started_at: now - 8_300, ended_at: now });
  setStep(goal, 's3', { state: 'skipped', why: 's2 failed' });
  Object.assign(goal, { state: 'failed', phase: null, ended_at: now, error });
  goal.answer = { text: 'PLC-007 could not be restarted.', language: 'en', degraded: true };
}
