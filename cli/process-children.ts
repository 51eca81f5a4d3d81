import { type Child, startChild } from '../topology/index.js';
import { type Announcement, announcementIn } from './announce.js';

/** Another `hermes …`, from what this process itself runs from; it stops when this one ends, however it ends. */
export async function childOfUs(args: readonly string[], onReady: (ready: Announcement) => void): Promise<Child> {
  const [, program = ''] = process.argv;
  const child = await startChild({
    command: process.execPath,
    args: [...process.execArgv, program, ...args],
    channel: true,
  });
  child.onMessage((message) => {
    const ready = announcementIn(message);
    if (ready) onReady(ready);
  });
  return child;
}
