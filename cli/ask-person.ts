import { createInterface } from 'node:readline/promises';

/** A question at the terminal; undefined where nobody sits there (stdin or stderr is no terminal), or they left. */
export async function askPerson(question: string): Promise<string | undefined> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return undefined;
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question(question)).trim();
  } catch {
    // Ctrl-D: no answer is one.
    return undefined;
  } finally {
    terminal.close();
  }
}
