import { describe, expect, it } from 'vitest';
import {
  InvalidStateTransition,
  isFinal,
  type Life,
  moveTo,
  newLife,
  STATES,
  setPhase,
  TRANSITIONS,
} from '../../../agents/runtime/session/index.js';

const at = (state: Life['state']): Life => ({ id: 'g1', state });

describe('life of a goal', () => {
  for (const from of STATES) {
    for (const to of STATES) {
      const legal = TRANSITIONS[from].includes(to);
      it(`${from} to ${to} is ${legal ? 'made' : 'thrown'}`, () => {
        if (legal) expect(moveTo(at(from), to).state).toBe(to);
        else expect(() => moveTo(at(from), to)).toThrow(InvalidStateTransition);
      });
    }
  }

  it('names from, to and id in the error', () => {
    try {
      moveTo(at('completed'), 'running');
      expect.unreachable();
    } catch (thrown) {
      expect(thrown).toMatchObject({ name: 'InvalidStateTransition', from: 'completed', to: 'running', id: 'g1' });
    }
  });

  it('keeps the last error of a failure and begins running in thinking', () => {
    const running = moveTo(newLife('g1'), 'running');
    expect(running.phase).toBe('thinking');
    expect(moveTo(running, 'failed', 'no worker')).toEqual({ id: 'g1', state: 'failed', last_error: 'no worker' });
  });

  it('sets a phase in running and nowhere else', () => {
    expect(setPhase(at('running'), 'tool_use').phase).toBe('tool_use');
    for (const state of STATES.filter((one) => one !== 'running')) {
      expect(setPhase(at(state), 'tool_use')).toEqual(at(state));
    }
  });

  it('ends in completed, failed and cancelled', () => {
    expect(STATES.filter(isFinal)).toEqual(['completed', 'failed', 'cancelled']);
  });
});
