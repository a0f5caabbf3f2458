import type { IncomingHttpHeaders } from 'node:http';

/** What a request brings to show where it comes from. */
export interface Credentials {
  readonly headers: IncomingHttpHeaders;
  /** As it arrived: signatures are over these bytes. */
  readonly body: Buffer;
  /** Milliseconds since the epoch. */
  readonly now: number;
}
