import type { SlackCredentials } from './slack-sandbox.ts';

export interface Credentials extends SlackCredentials {
  readonly apiKey: string;
  readonly scimToken: string;
  readonly intakeSecret: string;
}

/** New ones at every start. @param text random text from that many bytes, safe in a header and a path. */
export function newServiceCredentials(
  text: (bytes: number) => string,
): Omit<Credentials, keyof SlackCredentials> {
  return { apiKey: text(24), scimToken: text(24), intakeSecret: text(24) };
}

/** A version 4 UUID from 16 random bytes. */
export function uuidOf(bytes: Buffer): string {
  const hex = bytes.toString('hex');
  const groups = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`];
  return [...groups, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join('-');
}
