/** The parts of autocannon that are used; it has no types of its own. */
declare module 'autocannon' {
  import type { EventEmitter } from 'node:events';

  export interface Request {
    readonly method: 'POST';
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  }

  interface Client {
    setRequests(requests: readonly Request[]): void;
  }

  interface Options {
    readonly url: string;
    readonly connections: number;
    /** Requests of all connections in total. */
    readonly amount: number;
    /** Called once per connection. */
    readonly setupClient: (client: Client) => void;
  }

  interface Result {
    readonly non2xx: number;
    readonly errors: number;
    readonly timeouts: number;
  }

  /** Emits `response` with client, status, bytes and milliseconds. */
  interface Run extends EventEmitter, PromiseLike<Result> {}

  export default function autocannon(options: Options): Run;
}
