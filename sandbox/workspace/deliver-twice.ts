import type { Carried, Carry, Notice } from './notice.ts';
import type { Delivery, Twice } from './user-actions.ts';

/**
 * Delivers a person's action. `delivered`: the same notice is sent twice at the same moment, the second marked as a
 * retry. `pressed`: the person does it twice, so the second is another notice.
 */
export async function deliverTwice(
  make: () => Notice,
  carry: Carry,
  twice: Twice | undefined,
): Promise<Carried> {
  const first = make();
  if (twice === undefined) return carry(first);
  const second: Notice =
    twice === 'delivered' ? { ...first, retry: { attempt: 1, reason: 'timeout' } } : make();
  const [delivery, other] = await Promise.all([carry(first), carry(second)]);
  return { ...delivery, second: other };
}

/** When there is nothing to send. */
export const notSent: Delivery = {
  sent: false,
  status: 0,
  body: '',
  ackMs: 0,
  acknowledged: false,
  shown: null,
};
