/**
 * What the record can show to somebody who trusts nobody: signed heads, and packages that a key alone verifies.
 *  1. A head says which entry was the newest of a scope; heads go to a log of their own that nobody deletes from.
 *  2. Every byte of a package is bound by one signature, renderings included; in any other spelling it is none.
 *  3. Verifying is pure and needs the file and the key alone; no key inside a file is trusted, no file makes it throw.
 *  4. Who reads the record leaves an entry, and so does who was refused.
 */
export { type Audit, type AuditDeps, type AuditOptions, createAudit } from './audit.js';
export { type About, type GoalTimeline, type PackageParts, sealPackage } from './audit-package.js';
export { type GivenParts, givenPartsSchema } from './given-parts.js';
export {
  type Countersignature,
  countersign,
  type Head,
  readCountersignature,
  readHead,
  SAYS,
  signHead,
} from './head.js';
export { jsonPlace } from './json-place.js';
export type { AuditFinding } from './read-package.js';
export { csvCell, renderCsv } from './render-csv.js';
export { renderPdf } from './render-pdf.js';
export { type AuditVerdict, type CountersignatureCheck, signerOf, verifyPackage } from './verify-package.js';
