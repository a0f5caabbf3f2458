/** The contents of the form for a new approval. */
export interface Draft {
  readonly title: string;
  /** Id of one of `messages`. */
  readonly message: keyof typeof messages;
  /** `Name: value`, one per line. */
  readonly fields: string;
  /** Empty: the automation names none. */
  readonly route: string;
  /** Empty: the route's quorum applies. */
  readonly quorum: string;
  /** Minutes until the gate closes; empty: it stays open. */
  readonly minutes: string;
  /** A person's id; empty for none. */
  readonly requester: string;
}

export const firstDraft: Draft = {
  title: 'Deploy 4.2 to production',
  message: 'short',
  fields: 'Environment: production',
  route: '',
  quorum: '',
  minutes: '',
  requester: 'U0CLEO',
};

/** Messages that the automation can send. */
export const messages = {
  short: { label: 'one sentence', text: 'All checks are green. Shall it go out?' },
  none: { label: 'none: the service’s own', text: '' },
  long: {
    label: 'longer than a message',
    text: Array.from(
      { length: 90 },
      (_, line) => `${line + 1}. Service ${line + 1} moves to the new release; its checks passed.`,
    ).join('\n'),
  },
  hostile: {
    label: 'hostile markup',
    text: '<!channel> <https://evil.example|click here> <@U0BEN> <img src=x onerror=alert(1)> *bold* `code` :tada:',
  },
} as const;

/** The draft in the form that the sandbox accepts. */
export function questionOf(draft: Draft): object {
  const { title, route, quorum, minutes, requester } = draft;
  const message = messages[draft.message].text;
  const fields = fieldsOf(draft.fields);
  return {
    title,
    ...(message && { message }),
    ...(Object.keys(fields).length > 0 && { fields }),
    ...(route && { route }),
    ...(quorum && { quorum: Number(quorum) }),
    ...(minutes && { minutes: Number(minutes) }),
    ...(requester && { requester }),
  };
}

function fieldsOf(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      if (colon === -1) return ['Note', line.trim()];
      return [line.slice(0, colon).trim() || 'Note', line.slice(colon + 1).trim()];
    }),
  );
}
