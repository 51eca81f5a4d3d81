/**
 * The coordinator: goals in, plans out, agents dispatched.
 *  1. Accepted means durable: a goal is an entry before anybody hears of it.
 *  2. A goal can be taken up again from its entries at any point; nothing is dispatched that is not written.
 *  3. It knows no agent by name: whom to call comes from manifests.
 *  4. Every door (HTTP, bus, command line) stands on one GoalPort.
 */
export { COORDINATOR, type Coordinator, startCoordinator } from './coordinator.js';
export type { Goal } from './goals/goal.js';
export type { GoalPort, GoalSubmission, Rehearsal } from './goals/goal-port.js';
export { homeOf } from './home.js';
export type { AgentIntake, HttpContext } from './http/context.js';
export { type HealthSources, openHealthServer } from './http/health-server.js';
export { presentAudit } from './http/present-audit.js';
export { type HttpServer, openHttpServer } from './http/server.js';
export { checkPlaybook, type Playbook, playbookSchema } from './playbooks/index.js';
export { type Trace, traceOf } from './trace.js';
