/**
 * Administrator alerts: an alert is raised (`raise-alert.ts`), stored as a record, and sent to each administrator as a
 * direct message (`alert-flow.ts`). If the store itself fails, it is sent without a record (`alert-now.ts`).
 */

import type { Button } from '@slack/types';

/**
 * An alert, kept until it is delivered.
 *
 * All times are milliseconds on the store's clock.
 */
export interface Alert {
  readonly v: 1;
  /** Cause and subject, in words of the code: nobody gets the same alert twice within `SILENCE_MS`. */
  readonly about: string;
  /** The problem, then what to do; escaped mrkdwn. */
  readonly text: string;
  /** An immediate remedy. Everybody who sees it can press it; the permission is checked then. */
  readonly button?: Button;
  /** The recipients, including those who have received it. */
  readonly addressees: readonly Addressee[];
}

export interface Addressee {
  /** The log gets every alert, and is the only addressee if there are no administrators. */
  readonly kind: 'log' | 'person' | 'group';
  /** Slack id; `log` for the log. */
  readonly id: string;
  /** Delivered, or given up. A group is done when its members have become addressees. */
  readonly done?: true;
  /** Counted before each try, so that tries that end in a crash count too. */
  readonly tries?: number;
  readonly notBefore?: number;
}

export const ALERT_KIND = 'alert';

export function encodeAlert(alert: Alert): string {
  return JSON.stringify(alert);
}

export function decodeAlert(text: string): Alert {
  // as: only `encodeAlert` writes it; other forms have another `v`, and are refused
  const alert = JSON.parse(text) as Alert;
  if (alert.v !== 1) throw new Error('an alert is stored in an unknown format');
  return alert;
}
