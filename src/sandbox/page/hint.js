// @ts-check

/**
 * What to press next.
 * @param {import('./page-state.ts').PageState} state
 */
export function hint({ approvals, channels, people, me }) {
  const [latest] = approvals;
  if (!latest) return 'Press “Ask for approval”: the bot then asks people in #deployments.';
  if (latest.canCheck) {
    return 'The bot finds out when it looks the next time. To be quicker, press “Tell the bot to look”.';
  }
  if (latest.status !== 'PENDING') {
    const isMember = channels.some(({ id }) => id === 'C0OUTCOMES');
    const more = isMember ? ', or look into #releases' : '';
    return `Read what the message says now${more}. Then ask again.`;
  }
  const note = people.find(({ id }) => id === me.id)?.note ?? '';
  if (note.includes('release manager')) return 'Press Approve or Reject in #deployments.';
  return 'Try a button as this person, or choose Ana or Ben: they are release managers.';
}
