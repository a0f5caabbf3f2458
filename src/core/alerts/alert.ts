/**
 * What administrators are told: an alert is raised (`raise-alert.ts`), kept as a record of its own, and sent
 * as a direct message to each of them (`alert-flow.ts`). When the store itself is the trouble it goes out
 * without one (`alert-now.ts`).
 */

import type { Button } from '@slack/types';

/**
 * Something that administrators have to know, as the store keeps it until they have been told.
 *
 * All times are milliseconds on the store's clock.
 */
export interface Alert {
  readonly v: 1;
  /** Cause and subject, in words of the code: nobody reads the same twice within `SILENCE_MS`. */
  readonly about: string;
  /** What holds, and last what to do; mrkdwn, escaped. */
  readonly text: string;
  /** What can be done on the spot. Whoever may see it may press it: who may do it is checked then. */
  readonly button?: Button;
  /** Whom it is for, those who have it included. */
  readonly addressees: readonly Addressee[];
}

export interface Addressee {
  /** The log hears of everything, and alone where there are no administrators. */
  readonly kind: 'log' | 'person' | 'group';
  /** Slack id; `log` for the log. */
  readonly id: string;
  /** It has the alert, or cannot have it. A group is done when its members are addressees. */
  readonly done?: true;
  /** Counted before each try, so that even tries that end in a crash are bounded. */
  readonly tries?: number;
  readonly notBefore?: number;
}

export const ALERT_KIND = 'alert';

export function encodeAlert(alert: Alert): string {
  return JSON.stringify(alert);
}

export function decodeAlert(text: string): Alert {
  // as: written by `encodeAlert` alone; another form has another `v`, and is refused
  const alert = JSON.parse(text) as Alert;
  if (alert.v !== 1) throw new Error('an alert is kept in a form that is not known');
  return alert;
}
