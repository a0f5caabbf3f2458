import type { Carried, Carry, Notice } from './notice.ts';
import type { Delivery, Twice } from './user-actions.ts';

/**
 * Carries what a person did. `delivered`: the same notice goes out twice at the same moment, the second
 * marked as a repetition. `pressed`: the person does it twice, so that the second is another notice.
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

/** For what the person saw no need to send. */
export const notSent: Delivery = {
  sent: false,
  status: 0,
  body: '',
  ackMs: 0,
  acknowledged: false,
  shown: null,
};
