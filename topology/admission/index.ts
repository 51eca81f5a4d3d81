/**
 * Admission of agents that are loaded: their files are read and scanned before anything of them runs.
 *  1. What the scan refuses is not imported, in no mode.
 *  2. A signature counts by a key from outside; a lock says by itself nothing.
 */
export {
  type Admission,
  type AdmissionOptions,
  type Admitted,
  admitFiles,
  DEVELOPING,
  type ToolsMode,
} from './admission.js';
export { type AgentSources, readAgent } from './agent-sources.js';
