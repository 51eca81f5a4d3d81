import { invalidParams } from '../../../shared/errors.js';
import type { Mail } from '../../../shared/mail.js';

/** One mailbox and nothing that a mail program could take for a second one (RFC 5321 §4.1.2, without quoting). */
const ONE_ADDRESS = /^[^\s@,;:<>()[\]\\"]+@[^\s@,;:<>()\\"]+$/;

/** Whom a mail reaches. @throws HermesError `invalid_params` where it is nobody, or not one mailbox each. */
export function addressesOf(mail: Mail): readonly string[] {
  const addresses = [...mail.to, ...(mail.cc ?? [])];
  const odd = addresses.find((address) => !ONE_ADDRESS.test(address));
  if (addresses.length > 0 && odd === undefined) return addresses;
  const problem = odd === undefined ? 'nobody is named' : `${JSON.stringify(odd)} is not one address`;
  throw invalidParams('the mail has no good recipients', [{ pointer: '/to', problem }]);
}
