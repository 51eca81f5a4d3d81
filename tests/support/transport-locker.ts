/** Child process: locks a folder, prints `locked` or the reason, then holds it until its input ends or it is killed. */
import { lockDataDir, openLevelStore } from '../../mcp/transport/index.js';
import { HermesError } from '../../shared/errors.js';

const [dir = '', what = 'dir'] = process.argv.slice(2);
try {
  if (what === 'store') await openLevelStore(dir);
  else await lockDataDir(dir);
  process.stdout.write('locked\n');
  process.stdin.resume();
} catch (thrown) {
  if (!(thrown instanceof HermesError)) throw thrown;
  process.stdout.write(`${thrown.reason} ${thrown.data.pid}\n`);
}
