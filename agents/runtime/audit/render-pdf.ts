import { createRequire } from 'node:module';
import { HermesError } from '../../../shared/errors.js';
import { LIMITS } from '../../../shared/limits.js';
import type { StoredEntry } from '../record/index.js';
import type { About } from './audit-package.js';
import type { Head } from './head.js';

type Document = PDFKit.PDFDocument;

/** TTF: with the compressed forms of the same font the pages come out blank. */
const FONT = '@expo-google-fonts/noto-sans-sc/400Regular/NotoSansSC_400Regular.ttf';
const MARGIN = 40;
/** Characters of one value; the entries beside it hold all of them. */
const SHOWN = 400;

/**
 * The entries as PDF, Chinese included; of a long record the newest ones, and it says so. Same parts, same bytes.
 * @throws HermesError `internal` when the document cannot be made.
 */
export async function renderPdf(about: About, entries: readonly StoredEntry[], head: Head): Promise<Uint8Array> {
  const { default: PdfDocument } = await import('pdfkit');
  const at = new Date(about.exported_at);
  const title = `审计记录 Audit record ${about.scope}`;
  const document = new PdfDocument({
    size: 'A4',
    margin: MARGIN,
    font: createRequire(import.meta.url).resolve(FONT),
    info: { Title: title, Producer: 'Hermes network', Creator: about.component, CreationDate: at, ModDate: at },
  });
  const chunks: Buffer[] = [];
  const whole = new Promise<Uint8Array>((resolve, reject) => {
    document.on('data', (chunk: Buffer) => chunks.push(chunk));
    document.on('end', () => resolve(Buffer.concat(chunks)));
    document.on('error', reject);
  });
  try {
    frontMatter(document, title, about, entries, head);
    for (const entry of entries.slice(-LIMITS.auditPdfEntries)) entryBlock(document, entry);
    document.end();
    return await whole;
  } catch (cause) {
    throw new HermesError('internal', 'the record could not be rendered as PDF', {}, { cause });
  }
}

function frontMatter(document: Document, title: string, about: About, entries: readonly StoredEntry[], head: Head) {
  const { range } = about;
  const left = entries.length - LIMITS.auditPdfEntries;
  document.fontSize(16).fillColor('black').text(title).moveDown(0.5).fontSize(9);
  const facts = [
    ['范围 scope', about.scope],
    ['租户 tenant', about.tenant],
    ['组件 component', about.component],
    ['导出 exported', `${new Date(about.exported_at).toISOString()} · ${about.exported_for} · ${about.instance}`],
    ['条目 entries', `${range.after.n + 1} – ${range.last_n} (${entries.length})`],
    ['链头 head', `n ${head.n} · seq ${head.seq} · ${head.hash}`],
    ['密钥 key', head.key],
    ...(left > 0 ? [['未列 not listed', `${left} older entries; the package has all of them`]] : []),
  ];
  for (const [name, value] of facts) document.text(`${name}: ${value}`);
  document.moveDown();
}

function entryBlock(document: Document, entry: StoredEntry): void {
  const { n, seq, at, kind, outcome, principal, tool, params, effects, verification, rollback, error, data } = entry;
  const first = [`#${n}`, new Date(at).toISOString(), kind, tool?.name, outcome, principal?.id];
  document
    .fontSize(10)
    .fillColor('black')
    .text(first.filter((word) => word !== undefined).join('  '));
  document.fontSize(8).fillColor('#333333');
  const said = [
    ['参数 params', params],
    ['影响 effects', effects],
    ['核实 verification', verification],
    ['回滚 rollback', rollback],
    ['错误 error', error],
    ['数据 data', data],
  ] as const;
  for (const [name, value] of said) if (value !== undefined) document.text(`${name}: ${shown(value)}`, { indent: 10 });
  document.fontSize(7).fillColor('#777777').text(`seq ${seq}  ${entry.hash}`, { indent: 10 }).moveDown(0.5);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
