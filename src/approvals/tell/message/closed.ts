import { bold, dateText, inertText } from '../../../core/slack/text.ts';
import { type Approval, isOwnGate } from '../../approval.ts';
import { ROUTE_CLOSED } from '../../decision/closed-route.ts';
import type { StatementFacts, UnsentFacts } from '../../decision/statement.ts';
import type { Closed } from '../../electorate/closed.ts';
import { DEADLINE, REQUEST, timeOf } from './sentences.ts';

/** What people read of a request whose route is closed. */

/** As the message shows it. */
export interface ClosedState extends Closed {
  /** An approval that would have been enough was spent. */
  readonly hasSpent?: true;
}

export function closedState({ closing }: Approval, closed: Closed): ClosedState {
  return { ...closed, ...(closing?.now?.hasSpent === true && { hasSpent: true }) };
}

/** Its line in the message. `progress`: who approved. */
export function closedLine(approval: Approval, closed: ClosedState, progress: string): string {
  const { expiresAt } = approval;
  const where = isOwnGate(approval) ? 'Closed until' : 'Closed here until';
  const spent = closed.hasSpent === true ? ' · one more press on Approve is needed after that' : '';
  return `:lock: ${bold(`${where} ${timeOf(closed.until)}`)}: ${inertText(closed.why)}${progress}${spent}${deadline(expiresAt, closed)}${elsewhere(approval)}`;
}

function deadline(expiresAt: number | undefined, { until }: Closed): string {
  if (expiresAt === undefined) return '';
  const at = dateText(expiresAt, new Date(expiresAt).toISOString());
  return ` · ${DEADLINE} ${at}${expiresAt <= until ? ', before it opens' : ''}`;
}

function elsewhere(approval: Approval): string {
  return isOwnGate(approval) ? '' : ' · the service may time out or be answered elsewhere';
}

/** For lists. */
export function closedInList({ until, why }: Closed): string {
  return `Closed until ${timeOf(until)}: ${inertText(why)}`;
}

export const CLOSED_HEADLINE = 'Closed for now';

const TRIED =
  'The service was too busy to accept your approval, and it no longer counts. When it opens, press Approve again.';
const UNSENT =
  'Your approval was not sent and no longer counts. When it opens, press Approve again.';
const NOT_COUNTED = 'Your approval does not count. Press again when it opens; Reject works now.';

export const closedSentences = {
  'route-closed': ({ wasCounted, wasTried, ...closed }: StatementFacts['route-closed']): string => {
    const end = wasTried ? TRIED : wasCounted ? UNSENT : NOT_COUNTED;
    return `${closedText(closed)} ${end}`;
  },
};

/** Why a decision was not sent again. */
export const closedUnsent = {
  [ROUTE_CLOSED]: ({ closed }: UnsentFacts['route-closed']): string =>
    `It was not sent again: the route is closed until ${timeOf(closed.until)}.`,
};

/** Why a press was not counted. */
export const closedNotCounted = { [ROUTE_CLOSED]: 'its route was closed.' };

function closedText({ until, why }: Closed): string {
  return `${REQUEST} is closed until ${timeOf(until)}: ${inertText(why)}.`;
}

export const closedRules = {
  closed: ({ until, why, isLoud }: Closed & { readonly isLoud: boolean }) =>
    `Closed until ${timeOf(until)}: ${inertText(why)}. Until then ${isLoud ? 'only its requester can approve, with a reason' : 'nobody can approve'}; rejections count.`,
};
