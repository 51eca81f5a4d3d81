import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { Command } from 'commander';
import { LOCK_FILE, signTools } from '../../agents/runtime/index.js';
import { systemClock } from '../../shared/clock.js';
import { type Config, loadConfig } from '../../shared/config.js';
import { HermesError } from '../../shared/errors.js';
import { fileSigningKey, type SigningKey, signingKeyFromSeed } from '../../shared/keys/index.js';
import { systemRandom } from '../../shared/random.js';
import { entryOf, loadAgent, readAgent, runInSandbox, type Topology } from '../../topology/index.js';
import { createHttpClient } from '../http-client.js';
import { print, table } from '../output.js';
import { siteFile } from '../site-process.js';
import { productKey, toolsKey } from '../tools-mode.js';

interface Where {
  readonly topology?: string;
  readonly json?: boolean;
}

/** An agent whose tools are meant: a row of the topology, or a module without one. */
interface Meant {
  readonly agent: string;
  readonly module: string;
  readonly topology: Topology;
}

/** `hermes tools list|sign|test|scan`: what agents may do, and whether it may be let in. */
export function toolsCommand(): Command {
  const command = new Command('tools').description('tools of agents: list them, sign, test and scan them');
  command
    .command('list')
    .description('tools of the running site, and who signed them')
    .option('--json', 'as JSON')
    .action(list);
  local(command.command('scan').description('whether agents’ sources reach for more than their context')).action(scan);
  local(command.command('test').description('run the cases of tools in a sandbox, on a twin of the site'))
    .option('--tool <name>', 'one tool only')
    .action(test);
  local(command.command('sign').description('sign agents’ files and manifests into tools.lock.json beside them'))
    .option('--once', 'with a key for this one time; its public half goes beside the product')
    .action(sign);
  return command;
}

const local = (command: Command): Command =>
  command
    .argument('[modules...]', 'agents/plc, or a folder; default: those of the site')
    .option('--topology <file>', 'site file; default: the demo site')
    .option('--json', 'as JSON');

interface ListedTool {
  readonly component: string;
  readonly name: string;
  readonly version: string;
  readonly effect_class: string;
  readonly risk: string;
  readonly side_effects: readonly string[];
  readonly admission: { readonly mode: string; readonly signed_by: string | null } | null;
}

async function list({ json }: { json?: boolean }): Promise<void> {
  const { tools } = (await createHttpClient(loadConfig().values.url).get('/v1/tools')) as { tools: ListedTool[] };
  if (json) return print({ tools });
  const rows = tools.map((tool) => [
    `${tool.component}.${tool.name}`,
    tool.version,
    tool.effect_class,
    tool.risk,
    tool.admission?.signed_by ?? `unsigned (${tool.admission?.mode ?? 'not said'})`,
    tool.side_effects.join(' '),
  ]);
  print(table([['tool', 'version', 'effect', 'risk', 'signed by', 'side effects'], ...rows]));
}

async function scan(modules: readonly string[], { topology, json }: Where): Promise<void> {
  const found = meant(modules, topology).map(({ module }) => {
    const { findings, files } = readAgent(entryOf(module));
    return { module, files: files.size, findings };
  });
  const count = found.reduce((sum, { findings }) => sum + findings.length, 0);
  if (json) print({ modules: found, findings: count });
  else {
    for (const { module, files, findings } of found) {
      print(`${module}: ${files} files, ${findings.length === 0 ? 'nothing found' : `${findings.length} found`}`);
      for (const { file, line, message } of findings) print(`  ${file}:${line} ${message}`);
    }
  }
  if (count > 0) process.exitCode = 1;
}

async function test(modules: readonly string[], { topology, json, tool }: Where & { tool?: string }): Promise<void> {
  const clock = systemClock();
  const all = [];
  for (const { agent, module, topology: site } of meant(modules, topology)) {
    const wanted = { topology: site, agent, ...(tool === undefined ? {} : { tool }) };
    const { level, answer } = await runInSandbox(entryOf(module), wanted, clock);
    all.push({ module, sandbox: level, ...answer });
    if (json) continue;
    print(`${module} (${LEVELS[level]})`);
    if (answer.failed !== undefined) print(`  cannot run: ${answer.failed}`);
    for (const what of answer.reached) print(`  reached for ${what}`);
    for (const { tool: name, case: of, problems } of answer.reports)
      print([`  ${problems.length === 0 ? 'ok    ' : 'failed'} ${name}: ${of}`, ...problems].join('\n           '));
  }
  const failed = all.filter((one) => one.failed !== undefined || one.reached.length > 0).length;
  const wrong = all.flatMap(({ reports }) => reports).filter(({ problems }) => problems.length > 0).length;
  if (json) print({ modules: all });
  if (failed + wrong > 0) process.exitCode = 1;
}

const LEVELS = {
  network: 'sandbox: no files, environment, children; a network namespace of its own',
  guard: 'sandbox: no files, environment, children; the network is closed by a guard only',
} as const;

async function sign(modules: readonly string[], { topology, json, once }: Where & { once?: boolean }): Promise<void> {
  const { values } = loadConfig();
  const key = once ? keyForOnce() : keyOf(values);
  const signed = [];
  for (const { agent, module } of meant(modules, topology)) {
    const { folder, files, findings } = readAgent(entryOf(module));
    if (findings.length > 0) {
      const message = `${module} is not signed: the scan found ${findings.length} faults in it`;
      throw new HermesError('not_allowed', message, { suggestion: `hermes tools scan ${module}` });
    }
    const { tools } = (await loadAgent(agent, module))(agent);
    const file = join(folder, LOCK_FILE);
    writeFileSync(file, `${JSON.stringify(signTools(files, tools, key), undefined, 2)}\n`);
    signed.push({ module, lock: file, files: files.size, tools: tools.length });
  }
  if (json) return print({ key_id: key.id, signed });
  for (const { module, lock, files, tools } of signed) print(`${module}: ${files} files, ${tools} tools, in ${lock}`);
  print(`signed by ${key.id}`);
}

function keyForOnce(): SigningKey {
  const key = signingKeyFromSeed(systemRandom().bytes(32));
  writeFileSync(productKey(), key.publicPem);
  return key;
}

function keyOf({ data_dir }: Config): SigningKey {
  const { folder, name } = toolsKey(resolve(data_dir));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return fileSigningKey(folder, name, systemRandom());
}

/** Modules that were named, or one agent for each module of the topology. */
function meant(modules: readonly string[], file: string | undefined): Meant[] {
  const { topology } = siteFile(loadConfig(file === undefined ? {} : { topology: file }).values);
  const rows = topology.agents.map(({ name, kind, module = `agents/${kind}` }) => ({ agent: name, module }));
  if (modules.length === 0) {
    const first = rows.filter(({ module }, index) => rows.findIndex((row) => row.module === module) === index);
    return first.map((row) => ({ ...row, topology }));
  }
  return modules.map((named) => {
    const module = named.replace(/\/+$/, '');
    const row = rows.find((one) => one.module === module);
    return row ? { ...row, topology } : withoutRow(module, topology);
  });
}

/** An agent without a row: for its trial it gets one, with the grants of a guest. */
function withoutRow(module: string, topology: Topology): Meant {
  const folder = /\.[cm]?[jt]s$/.test(module) ? dirname(module) : module;
  const agent = `${folder.split('/').at(-1)}`.replaceAll('-', '_');
  const serves = { devices: topology.devices.map(({ id }) => id), floors: [], zones: [] };
  const row = { name: agent, kind: agent, module, instances: 1, serves, grants: ['modbus.read'], allow: {} };
  return { agent, module, topology: { ...topology, agents: [...topology.agents, row] } };
}
