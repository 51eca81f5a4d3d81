import { createHash } from 'node:crypto';

/** As much MIME as a received mail needs (RFC 2045–2047, 5322): headers, one text, attachments by digest. */
export interface ParsedMail {
  readonly from: string;
  readonly to: string;
  readonly cc: string;
  readonly subject: string;
  readonly message_id: string;
  readonly text: string;
  readonly attachments: readonly MailAttachment[];
}

export interface MailAttachment {
  readonly name: string;
  readonly type: string;
  readonly sha256: string;
}

interface Part {
  readonly headers: ReadonlyMap<string, string>;
  /** Latin-1, so that each character is one byte. */
  readonly body: string;
}

export function parseMail(raw: Buffer): ParsedMail {
  const mail = splitPart(raw.toString('latin1'));
  const leaves = leavesOf(mail);
  const texts = leaves.filter((part) => !isAttachment(part) && typeOf(part) === 'text/plain');
  const html = leaves.filter((part) => !isAttachment(part) && typeOf(part) === 'text/html');
  const shown = texts.length > 0 ? texts : html;
  const header = (name: string) => decodeWords(mail.headers.get(name) ?? '');
  return {
    from: header('from'),
    to: header('to'),
    cc: header('cc'),
    subject: header('subject'),
    message_id: header('message-id'),
    text: shown
      .map((part) => textOf(part))
      .join('\n')
      .replace(/\r\n/g, '\n')
      .trimEnd(),
    attachments: leaves.filter(isAttachment).map((part) => ({
      name: nameOf(part),
      type: typeOf(part),
      sha256: createHash('sha256').update(contentOf(part)).digest('hex'),
    })),
  };
}

/** RFC 2047: encoded words, B and Q; white space between two of them is not text. */
export function decodeWords(header: string): string {
  return Buffer.from(header, 'latin1')
    .toString('utf8')
    .replace(/(\?=)\s+(=\?)/g, '$1$2')
    .replace(/(?:=\?[^?]+\?[bBqQ]\?[^?]*\?=)+/g, (run) => decodeRun(run));
}

/** A character may be cut across adjacent words of one charset, so bytes are joined before they are decoded. */
function decodeRun(run: string): string {
  let charset = 'utf-8';
  const bytes = [...run.matchAll(/=\?([^?*]+)[^?]*\?([bBqQ])\?([^?]*)\?=/g)].map((match) => {
    const [, set = 'utf-8', kind = 'B', text = ''] = match;
    charset = set;
    if (kind.toUpperCase() === 'B') return Buffer.from(text, 'base64');
    return unquote(text.replace(/_/g, ' '));
  });
  return decodeCharset(Buffer.concat(bytes), charset);
}

function splitPart(text: string): Part {
  const end = /\r?\n\r?\n/.exec(text);
  const head = end ? text.slice(0, end.index) : text;
  const body = end ? text.slice(end.index + end[0].length) : '';
  const headers = new Map<string, string>();
  for (const line of head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const colon = line.indexOf(':');
    if (colon > 0) headers.set(line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim());
  }
  return { headers, body };
}

function leavesOf(part: Part): Part[] {
  const boundary = parameter(part.headers.get('content-type') ?? '', 'boundary');
  if (!typeOf(part).startsWith('multipart/') || boundary === undefined) return [part];
  return `\r\n${part.body}`
    .split(`\n--${boundary}`)
    .slice(1)
    .filter((piece) => !piece.startsWith('--'))
    .flatMap((piece) => leavesOf(splitPart(piece.replace(/^[^\n]*\n/, '').replace(/\r$/, ''))));
}

const typeOf = (part: Part): string =>
  (part.headers.get('content-type') ?? 'text/plain').split(';')[0]?.trim().toLowerCase() ?? 'text/plain';

const isAttachment = (part: Part): boolean =>
  (part.headers.get('content-disposition') ?? '').toLowerCase().startsWith('attachment') ||
  !/^(text|multipart)\//.test(typeOf(part));

function nameOf(part: Part): string {
  const disposition = part.headers.get('content-disposition') ?? '';
  return parameter(disposition, 'filename') ?? parameter(part.headers.get('content-type') ?? '', 'name') ?? '';
}

/** A header's parameter: plain, quoted, encoded word, or RFC 2231 (`name*=utf-8''…`, `name*0*=`). */
function parameter(header: string, name: string): string | undefined {
  const plain = new RegExp(`(?:^|[;\\s])${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]+))`, 'i').exec(header);
  if (plain) return decodeWords((plain[1] ?? plain[2] ?? '').replace(/\\(.)/g, '$1'));
  const pieces = [...header.matchAll(new RegExp(`[;\\s]${name}\\*(\\d*)(\\*?)=(?:"([^"]*)"|([^;\\s]+))`, 'gi'))];
  if (pieces.length === 0) return undefined;
  const joined = pieces
    .sort((a, b) => Number(a[1]) - Number(b[1]))
    .map((piece) => piece[3] ?? piece[4] ?? '')
    .join('');
  return decodeURIComponent(joined.replace(/^[\w-]*'[^']*'/, ''));
}

function contentOf(part: Part): Buffer {
  switch (part.headers.get('content-transfer-encoding')?.toLowerCase()) {
    case 'base64':
      return Buffer.from(part.body, 'base64');
    case 'quoted-printable':
      return unquote(part.body.replace(/=\r?\n/g, ''));
    default:
      return Buffer.from(part.body, 'latin1');
  }
}

const textOf = (part: Part): string =>
  decodeCharset(contentOf(part), parameter(part.headers.get('content-type') ?? '', 'charset') ?? 'utf-8');

const unquote = (text: string): Buffer =>
  Buffer.from(
    text.replace(/=([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );

/** An unknown charset is read as UTF-8: a receiver in a test had better show something. */
function decodeCharset(bytes: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch (error) {
    if (error instanceof RangeError) return bytes.toString('utf8');
    throw error;
  }
}
