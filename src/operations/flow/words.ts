/** Texts that all operations share: the state first, what to do last. Each feature adds its own. */

interface Verb {
  /** `move work items`: what somebody can or cannot do. */
  readonly can: string;
  /** `moved` */
  readonly done: string;
  /** The command: `/move-task`. */
  readonly command: string;
  /** What to press if it is not known whether it was recorded, and why that is safe. */
  readonly again: string;
}

export const ASK = 'Ask a Gatepost administrator.';
export const NOT_STORED = 'Gatepost cannot store this right now. Try again in a minute.';
export const NOT_YOURS = 'Only the person who asked for this can continue with it.';

const LATER = 'Try again in a minute. If it keeps happening, tell a Gatepost administrator.';

export function goneText(command: string): string {
  return `Gatepost no longer has this. Start over with ${command}.`;
}

/** mrkdwn. */
export function wordsFor({ can, done, command, again }: Verb) {
  const nothing = `Nothing was ${done}.`;
  return {
    nothing,
    notOpened: `The form could not be opened. ${nothing} Try again.`,
    /** `isUnsure`: this press, or an earlier one, may have been recorded. */
    notRecorded: (isUnsure: boolean) =>
      isUnsure
        ? `:warning: It is not known whether this was recorded. ${again}`
        : `:warning: This was not recorded because Gatepost cannot store it right now. ${nothing} Try again in a minute.`,
    gone: goneText(command),
    /** The state, and what to do. */
    outcomes: {
      unauthorized: {
        what: "The service did not accept Gatepost's API key (401).",
        next: 'Ask a Gatepost administrator to replace SERVICE_API_KEY.',
      },
      refused: { what: 'The service refused this.', next: ASK },
      redirected: {
        what: 'The service answered with a redirect (307 or 308).',
        next: 'Ask a Gatepost administrator to check SERVICE_URL.',
      },
      'not-reached': { what: 'The service could not be reached.', next: 'Try again in a minute.' },
      busy: { what: 'The service is too busy (429).', next: 'Try again in a few minutes.' },
      'could-not-check': {
        what: `Gatepost could not check in Slack whether you can ${can}.`,
        next: LATER,
      },
      'account-not-read': {
        what: `Gatepost could not read your account in the service, so it is not known whether you can ${can}.`,
        next: LATER,
      },
      'store-not-read': {
        what: `Gatepost could not read what it has stored, so it is not known whether you can ${can}.`,
        next: LATER,
      },
      'no-key': {
        what: 'Gatepost has no API key for the service.',
        next: 'Ask a Gatepost administrator to set SERVICE_API_KEY.',
      },
      forgotten: {
        what: 'Gatepost lost its record of this.',
        next: `Start over with ${command}.`,
      },
    },
  } as const;
}
