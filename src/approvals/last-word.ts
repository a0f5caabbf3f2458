import type { LastWord } from '../reconcile/flow.ts';
import { settled } from '../reconcile/settled.ts';
import { type Approval, messagePart } from './approval.ts';
import { deliverWords } from './deliver-words.ts';
import { faceOf } from './message/message-state.ts';
import { type PerformNeeds, update } from './perform.ts';
import { loseSight } from './transitions.ts';

/**
 * What is known of an approval whose record is gone: the message shows it, and whoever waits for a
 * sentence gets it. A decision whose end is not known cannot be looked up any more.
 */
export function lastWord(
  needs: PerformNeeds,
  id: string,
  learned: Approval,
  noted: Approval,
  now: number,
): LastWord {
  const last = learned.decision === undefined ? learned : loseSight(learned, 'unsure', now);
  const { outcome, route, tells } = last;
  const { action } = noted.decision ?? {};
  return {
    facts: {
      ...(action !== undefined && { action }),
      status: outcome?.status ?? (last.watch.state === 'unknown' ? 'UNKNOWN' : 'PENDING'),
    },
    async show() {
      if (messagePart(last).ts !== undefined) {
        await update(needs, id, last, faceOf(last, { route: needs.routeNamed(route) }, now));
      }
      for (const tell of tells) await settled(deliverWords(needs, tell));
    },
  };
}
