/** The form in which two e-mail addresses are compared. No tricks with dots or plus: those differ. */
export function foldEmail(address: string): string {
  return address.normalize('NFC').trim().toLowerCase();
}
