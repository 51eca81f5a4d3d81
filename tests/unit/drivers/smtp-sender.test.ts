import { createServer, type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createSmtpSender } from '../../../agents/drivers/index.js';
import { HermesError } from '../../../shared/errors.js';
import type { Mail } from '../../../shared/mail.js';

/** What a hand-made server answers; nothing where it stays silent, 'hang up' where it dies. */
interface Script {
  readonly extensions?: readonly string[];
  readonly rcpt?: (address: string) => string | undefined;
  readonly data?: string | undefined;
  /** After the dot that ends the message. */
  readonly dot?: string | undefined;
}

const HANG_UP = 'hang up';
const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

/** A server of the few commands of RFC 5321 that a mail takes. */
async function mailServer(script: Script = {}) {
  const { extensions = [], rcpt = () => '250 ok', data = '354 go on' } = script;
  const dot = 'dot' in script ? script.dot : '250 taken';
  const commands: string[] = [];
  const mails: string[] = [];
  const sockets = new Set<Socket>();
  let told: { what: RegExp; resolve: () => void }[] = [];
  let over: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => {
    over = resolve;
  });
  const heard = (line: string): void => {
    commands.push(line);
    for (const { resolve } of told.filter(({ what }) => what.test(line))) resolve();
    told = told.filter(({ what }) => !what.test(line));
  };
  const server = createServer((socket) => {
    sockets.add(socket);
    let buffered = '';
    let inData = false;
    const say = (text: string | undefined): void => {
      if (text === HANG_UP) socket.destroy();
      else if (text !== undefined) socket.write(`${text}\r\n`);
    };
    const answer = (line: string): void => {
      const verb = line.slice(0, 4).toUpperCase();
      if (verb === 'EHLO')
        say(['here', ...extensions].map((text, n, all) => `250${n < all.length - 1 ? '-' : ' '}${text}`).join('\r\n'));
      else if (verb === 'RCPT') say(rcpt(/<(.*)>/.exec(line)?.[1] ?? ''));
      else if (verb === 'DATA') {
        inData = data.startsWith('3');
        say(data);
      } else if (verb === 'QUIT') socket.end('221 bye\r\n');
      else say('250 ok');
    };
    socket.on('data', (chunk) => {
      buffered += chunk.toString('utf8');
      for (;;) {
        const end = inData ? buffered.indexOf('\r\n.\r\n') : buffered.indexOf('\r\n');
        if (end < 0) return;
        const text = buffered.slice(0, end);
        buffered = buffered.slice(end + (inData ? 5 : 2));
        if (inData) {
          inData = false;
          mails.push(text);
          heard('.');
          say(dot);
        } else {
          heard(text);
          answer(text);
        }
      }
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', over);
    say('220 hello');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const sender = createSmtpSender({ resolve: async () => ({ host: '127.0.0.1', port }) });
  cleanups.push(async () => {
    await sender.close();
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  const once = (what: RegExp) => new Promise<void>((resolve) => void told.push({ what, resolve }));
  return { sender, port, commands, mails, once, gone };
}

const mail: Mail = {
  from: 'Hermes <hermes@x-lab.example>',
  to: ['zhang@x-lab.example'],
  subject: 'PLC-007',
  text: 'it is back',
  message_id: '<op-1@x-lab.hermes>',
};

const failure = async (work: Promise<unknown>): Promise<HermesError> => {
  const thrown: unknown = await work.then(
    (value) => new Error(`answered ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (thrown instanceof HermesError) return thrown;
  throw thrown;
};

describe('a mail that is taken', () => {
  test('is the server’s 250, in the words of the mail, to each address once', async () => {
    const { sender, mails, commands, gone } = await mailServer();
    const text = '设备已恢复\n.\n在线';
    const whole = { ...mail, cc: ['li@x-lab.example'], subject: '灌装机 PLC-007 已重启', text };
    expect(await sender.send(whole, {})).toEqual({ response: '250 taken' });
    await gone;
    expect(commands).toContain('MAIL FROM:<hermes@x-lab.example>');
    expect(commands.filter((line) => line.startsWith('RCPT'))).toEqual([
      'RCPT TO:<zhang@x-lab.example>',
      'RCPT TO:<li@x-lab.example>',
    ]);
    expect(commands.at(-1)).toBe('QUIT');
    const [header = '', body = ''] = (mails[0] ?? '').split('\r\n\r\n');
    expect(header).toContain('Message-ID: <op-1@x-lab.hermes>');
    expect(header).toContain('To: zhang@x-lab.example\r\nCc: li@x-lab.example');
    const subject = /^Subject: ((?:.*)(?:\r\n .*)*)/m.exec(header)?.[1] ?? '';
    expect(decodeWords(subject)).toBe('灌装机 PLC-007 已重启');
    expect(Buffer.from(body, 'base64').toString('utf8').replaceAll('\r\n', '\n').trimEnd()).toBe(text);
  });

  test('an address with a comma is one address that the connection refuses, not two recipients', async () => {
    const { sender, mails } = await mailServer({ rcpt: (address) => (address.includes(',') ? '553 no' : '250 ok') });
    const error = await failure(sender.send({ ...mail, to: ['zhang@x.example,evil@y.example'] }, {}));
    expect(error.data).toMatchObject({ sent: false, smtp_code: 553 });
    expect(mails).toEqual([]);
  });
});

/** RFC 2047 words, base64 or quoted-printable. */
function decodeWords(text: string): string {
  const bytes = (kind: string, word: string): Buffer =>
    kind.toUpperCase() === 'B'
      ? Buffer.from(word, 'base64')
      : Buffer.from(
          word
            .replaceAll('_', ' ')
            .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
          'latin1',
        );
  return text
    .replace(/\?=\s+=\?/g, '?==?')
    .replace(/=\?utf-8\?([bq])\?(.*?)\?=/gi, (_, kind: string, word: string) => bytes(kind, word).toString('utf8'));
}

describe('before the message', () => {
  test('a refused port: not sent', async () => {
    const sender = createSmtpSender({ resolve: async () => ({ host: '127.0.0.1', port: 1 }) });
    const error = await failure(sender.send(mail, {}));
    expect(error).toMatchObject({ reason: 'tool_failed', data: { sent: false } });
    expect(error.data.suggestion).toContain('channels.email.url');
  });

  test('550 to the only recipient: not sent, the address named', async () => {
    const { sender, mails } = await mailServer({ rcpt: () => '550 no such user' });
    const error = await failure(sender.send(mail, {}));
    expect(error.data).toMatchObject({ sent: false, smtp_code: 550, refused: ['zhang@x-lab.example'] });
    expect(error.message).toContain('zhang@x-lab.example (550 no such user)');
    expect(mails).toEqual([]);
  });

  test.each([[], ['PIPELINING']])('550 to one of two: nobody gets it (extensions: %s)', async (...extensions) => {
    const rcpt = (address: string) => (address.startsWith('li@') ? '550 no such user' : '250 ok');
    const { sender, mails, gone } = await mailServer({ extensions, rcpt });
    const error = await failure(sender.send({ ...mail, cc: ['li@x-lab.example'] }, {}));
    expect(error.data).toMatchObject({ sent: false, smtp_code: 550, refused: ['li@x-lab.example'] });
    await gone;
    expect(mails).toEqual([]);
  });

  test('a refused DATA: not sent', async () => {
    const { sender } = await mailServer({ data: '452 full' });
    expect((await failure(sender.send(mail, {}))).data).toMatchObject({ sent: false, smtp_code: 452 });
  });

  test.each([[undefined], [HANG_UP]])('no answer to RCPT (%s): not sent', async (answer) => {
    const { sender, mails } = await mailServer({ rcpt: () => answer });
    expect((await failure(sender.send(mail, { timeoutMs: 100 }))).data).toMatchObject({ sent: false });
    expect(mails).toEqual([]);
  });
});

describe('from the message on', () => {
  test.each([
    ['dies', HANG_UP],
    ['is silent', undefined],
  ])('a server that %s after the dot: sent, perhaps', async (_, dot) => {
    const { sender, mails } = await mailServer({ dot });
    const error = await failure(sender.send(mail, { timeoutMs: 150 }));
    expect(error).toMatchObject({ reason: 'tool_failed', data: { sent: true } });
    expect(mails).toHaveLength(1);
  });

  test.each([451, 554, 421])('%d after the dot: refused, so not sent', async (code) => {
    const { sender } = await mailServer({ dot: `${code} no` });
    expect((await failure(sender.send(mail, {}))).data).toMatchObject({ sent: false, smtp_code: code });
  });

  test('an answer that is neither yes nor no: sent, perhaps', async () => {
    const { sender } = await mailServer({ dot: '354 go on' });
    expect((await failure(sender.send(mail, {}))).data).toMatchObject({ sent: true });
  });
});

describe('an abort', () => {
  const deadline = () => new HermesError('deadline', 'the deadline is over', { deadline_unix_ms: 1 });

  test('before the beginning: nobody is connected to', async () => {
    const { sender, commands } = await mailServer();
    const error = await failure(sender.send(mail, { signal: AbortSignal.abort(deadline()) }));
    expect(error).toMatchObject({ reason: 'deadline', data: { sent: false, deadline_unix_ms: 1 } });
    expect(commands).toEqual([]);
  });

  test('while the address is looked for: told at once', async () => {
    const sender = createSmtpSender({ resolve: () => new Promise(() => undefined) });
    const stop = new AbortController();
    const sending = failure(sender.send(mail, { signal: stop.signal }));
    stop.abort(deadline());
    expect(await sending).toMatchObject({ reason: 'deadline', data: { sent: false } });
  });

  test('before the message: the connection is gone at once and nothing follows', async () => {
    const { sender, commands, mails, once, gone } = await mailServer({ rcpt: () => undefined });
    const stop = new AbortController();
    const asked = once(/^RCPT/);
    const sending = failure(sender.send(mail, { signal: stop.signal, timeoutMs: 60_000 }));
    await asked;
    stop.abort(deadline());
    expect(await sending).toMatchObject({ reason: 'deadline', data: { sent: false } });
    await gone;
    expect(commands.at(-1)).toMatch(/^RCPT/);
    expect(mails).toEqual([]);
  });

  test('after the dot: sent, perhaps, by the signal’s own reason', async () => {
    const { sender, once, gone } = await mailServer({ dot: undefined });
    const stop = new AbortController();
    const ended = once(/^\.$/);
    const sending = failure(sender.send(mail, { signal: stop.signal, timeoutMs: 60_000 }));
    await ended;
    stop.abort(deadline());
    expect(await sending).toMatchObject({ reason: 'deadline', data: { sent: true, deadline_unix_ms: 1 } });
    await gone;
  });

  test('by whoever gives no HermesError is a cancel', async () => {
    const { sender, once } = await mailServer({ dot: undefined });
    const stop = new AbortController();
    const ended = once(/^\.$/);
    const sending = failure(sender.send(mail, { signal: stop.signal, timeoutMs: 60_000 }));
    await ended;
    stop.abort();
    expect(await sending).toMatchObject({ reason: 'cancelled', data: { sent: true } });
  });

  test('closing the sender ends what is under way', async () => {
    const { sender, once } = await mailServer({ rcpt: () => undefined });
    const asked = once(/^RCPT/);
    const sending = failure(sender.send(mail, { timeoutMs: 60_000 }));
    await asked;
    await sender.close();
    expect(await sending).toMatchObject({ reason: 'tool_failed', data: { sent: false } });
  });
});
