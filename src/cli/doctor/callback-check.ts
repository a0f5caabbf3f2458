import { answeredAt } from '../../core/http/callbacks.ts';
import { connectionFix } from '../../core/lib/proxies.ts';
import { advice, type CheckNeeds, type Found, fine, together, wrong } from './found.ts';

/** A callback has more time; the check does not wait as long. */
const ANSWER_MS = 5_000;

/** Whether each source's receiver answers. Sends nothing that could be taken for an event. */
export async function checkCallbacks({
  config,
  system,
  signal,
  connect,
}: CheckNeeds): Promise<Found> {
  const called = config.sources.flatMap(({ id, callback }) =>
    callback === undefined ? [] : [{ id, url: callback.url }],
  );
  if (called.length === 0) return fine('none is configured');
  const found = called.map(async ({ id, url }): Promise<Found> => {
    const limits = { deadline: { ms: ANSWER_MS, timers: system.timers }, signal };
    const answered = await answeredAt(url, limits, connect);
    if (answered.kind === 'failed') {
      return wrong(
        `the callback address of the source ${id} cannot be reached (${answered.code})`,
        connectionFix(answered.code, url, config.proxies) ??
          'Check callback.url, the network, and that the receiver runs.',
      );
    }
    const { status } = answered;
    if (status >= 500) {
      return advice(
        `the receiver of the source ${id} answers with an error (${status})`,
        'Callbacks are sent again for 24 hours. See what the receiver says.',
      );
    }
    if (status >= 300 && status < 400) {
      return advice(
        `the receiver of the source ${id} redirects (${status})`,
        'Gatepost follows no redirect. Set callback.url to the address that takes the callbacks.',
      );
    }
    // Many accept only POST, and answer so in different ways.
    return fine(`the receiver of the source ${id} answers`);
  });
  return together(await Promise.all(found));
}
