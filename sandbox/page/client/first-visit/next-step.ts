import type { PageState } from '../../page-state.ts';

/** What to press next, until the first approval is approved; null from then on. */
export function nextStep({ approvals, me }: PageState): string | null {
  if (approvals.some(({ status }) => status === 'APPROVED')) return null;
  const [latest] = approvals;
  if (!latest) return 'Start here: press “Ask for approval” behind the scenes.';
  if (latest.status === 'PENDING') return pendingStep(me);
  if (latest.canCheck) {
    return 'The bot finds out when it looks the next time. To be quicker, press “Tell the bot to look”.';
  }
  return 'Read what the message says now. Then press “Ask for approval” again, and approve.';
}

function pendingStep(me: PageState['me']): string {
  const name = me.name.split(' ')[0];
  if (me.isReleaseManager)
    return `You are ${name}, a release manager: press Approve in #deployments.`;
  return `You are ${name}, who cannot decide. Try it, then switch to Ana or Ben (top right).`;
}
