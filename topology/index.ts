/**
 * The topology: a site file, its checks, and a running site made of it.
 *  1. A file with faults names all of them with their lines; nothing starts from it.
 *  2. Agents are loaded by the file; the code above knows none by name.
 *  3. `startFactory` is the test kit: the same assembly, with the doors of a test.
 */
export { type AdmissionOptions, type AgentSources, admitFiles, readAgent, type ToolsMode } from './admission/index.js';
export { intakeOf } from './agent-intake.js';
export { assembleSite, type RunningSite } from './assemble.js';
export { checkTopology } from './check.js';
export { type Child, type ChildOptions, startChild } from './child-process.js';
export { openComponentDoors, type SiteDoors } from './component-doors.js';
export { type CoordinatorProcess, startCoordinatorProcess } from './coordinator-process.js';
export type { Joining } from './late-agents.js';
export { loadPlaybook, loadTopology, parseTopology, siteOf } from './load.js';
export { type AgentMakers, entryOf, loadAgent, loadAgents } from './load-agents.js';
export {
  type NatsConfig,
  type NatsConfigOptions,
  type NatsMember,
  type NatsSeeds,
  type NatsTenant,
  natsConfig,
  natsTenantOf,
} from './nats-config.js';
export { type NatsServer, type NatsServerOptions, startNatsServer } from './nats-server.js';
export { createOpened, type Opened, opening } from './opened.js';
export { policyOf } from './policies.js';
export { createRestartPolicy, type RestartPolicy } from './restart-policy.js';
export { runInSandbox, type Sandbox } from './sandbox/index.js';
export { type Topology, topologySchema } from './schema.js';
export { createAddressResolver, type ResolveAddress } from './sim-addresses.js';
export { createSimMail, type SimMail } from './sim-mail.js';
export { simulatedDevices, simulatedLinks } from './simulated.js';
export { type RunningAgents, startAgents, type WantedAgent } from './start-agents.js';
export { type Factory, type FactoryOptions, startFactory } from './start-factory.js';
export { startTwin, type Twin, type TwinCommon, type TwinOptions, twinCommon } from './start-twin.js';
