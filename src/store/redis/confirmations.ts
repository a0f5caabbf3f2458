import type { Redis } from 'ioredis';
import { StoreError, type StoreLogger } from '../store.ts';
import { type Confirm, Confirmation } from './confirmation.ts';
import { ANSWER_MS } from './link-options.ts';

/** The confirmations of each server. */
export class Confirmations {
  readonly #confirm: Confirm;
  readonly #logger: StoreLogger;
  readonly #byServer = new Map<Redis, Confirmation>();
  #failing = false;

  constructor(confirm: Confirm, logger: StoreLogger) {
    this.#confirm = confirm;
    this.#logger = logger;
  }

  /**
   * Resolves when what `server` has acknowledged is confirmed. Throws StoreError `unknown` when it is
   * not within `withinMs`, or the server is gone (undefined).
   */
  async confirm(
    operation: string,
    server: Redis | undefined,
    marker: string,
    withinMs: number,
  ): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    try {
      if (server === undefined) throw new Error('not connected');
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error('late')), withinMs);
      });
      await Promise.race([this.#of(server).confirm(marker), late]);
      this.#note(true);
    } catch {
      this.#note(false);
      throw new StoreError('unknown', `${operation}: not confirmed by Redis`);
    } finally {
      clearTimeout(timer);
    }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#byServer.values()].map((each) => each.close()));
  }

  #of(server: Redis): Confirmation {
    const known = this.#byServer.get(server);
    if (known !== undefined) return known;
    const confirmation = new Confirmation(server, this.#confirm, ANSWER_MS);
    this.#byServer.set(server, confirmation);
    server.once('end', () => {
      this.#byServer.delete(server);
      void confirmation.close();
    });
    return confirmation;
  }

  /** Logs that confirmations fail, and that they come again, once each. */
  #note(works: boolean): void {
    if (works !== this.#failing) return;
    this.#failing = !works;
    if (works) this.#logger.info({}, 'Redis confirms writes again');
    else this.#logger.warn({}, 'Redis does not confirm writes: see REDIS_CONFIRM');
  }
}
