import type { IncomingHttpHeaders } from 'node:http';

/** What a request brings to show where it comes from. */
export interface Credentials {
  readonly headers: IncomingHttpHeaders;
  /** As it arrived: signatures are over these bytes. */
  readonly body: Buffer;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What can be looked at before the body is read. */
export type Head = Omit<Credentials, 'body'>;

/** Finds out for one source whether a request comes from it. */
export interface Matcher {
  /** False: it does not, whatever its body is. */
  couldMatch(head: Head): boolean;
  matches(credentials: Credentials): boolean;
}
