import type { AgentIntake } from '../coordinator/index.js';
import type { RunningSite } from './assemble.js';

/** The door for late agents of a running site, as the HTTP side is handed it. */
export const intakeOf = (site: Pick<RunningSite, 'join' | 'leave'>): AgentIntake => ({
  async join(wanted) {
    const { cell } = await site.join(wanted);
    return { name: wanted.name, component: cell.component, instance: cell.instance };
  },
  leave: (name) => site.leave(name),
});
