/**
 * The sandbox: an agent's tools on a twin of its site, in a process without an outside.
 *  1. What runs is the product's own runner on simulated devices: record, verification and rollback included.
 *  2. A tool that reaches out fails the run, also where it swallows the error.
 *  3. It says which walls stood; it claims no more.
 */
export { runInSandbox, type Sandbox, type SandboxAnswer, type SandboxLevel } from './sandbox.js';
