import { bold, inertText } from '../../../core/slack/text.ts';
import { type Approval, isOwnGate } from '../../approval.ts';
import type { BarFacts, Barred } from '../../electorate/bar.ts';
import type { BarWords } from './feature-shapes.ts';
import { DEADLINE, REQUEST, timeOf } from './sentences.ts';

/** What people read of a request whose route is closed. */

type ClosedState = NonNullable<BarFacts['closed']>;

function closedLine(approval: Approval, closed: ClosedState, progress: string): string {
  const { expiresAt } = approval;
  const where = isOwnGate(approval) ? 'Closed until' : 'Closed here until';
  const spent = closed.hasSpent === true ? ' · Approve has to be pressed again after that' : '';
  return `:lock: ${bold(`${where} ${timeOf(closed.until)}`)}: ${inertText(closed.why)}${progress}${spent}${deadline(expiresAt, closed)}${elsewhere(approval)}`;
}

function deadline(expiresAt: number | undefined, { until }: Barred): string {
  if (expiresAt === undefined) return '';
  const at = timeOf(expiresAt);
  return ` · ${DEADLINE} ${at}${expiresAt <= until ? ', before it opens' : ''}`;
}

function elsewhere(approval: Approval): string {
  return isOwnGate(approval) ? '' : ' · it can still time out or be decided in the service';
}

const TRIED =
  'The service was too busy to accept your approval, and it no longer counts. When it opens, press Approve again.';
const UNSENT =
  'Your approval was not sent and no longer counts. When it opens, press Approve again.';
const NOT_COUNTED = 'Your approval does not count. Press again when it opens; Reject works now.';

export const closedWords: BarWords = {
  isIn: ({ closed }) => closed !== undefined,

  headline: 'Closed for now',

  line: (approval, state, progress) => closedLine(approval, closedIn(state), progress),

  inList(state) {
    const { until, why } = closedIn(state);
    return `Closed until ${timeOf(until)}: ${inertText(why)}`;
  },

  refused({ bar, wasCounted, wasTried }) {
    const end = wasTried ? TRIED : wasCounted ? UNSENT : NOT_COUNTED;
    return `${closedText(bar)} ${end}`;
  },

  unsent: ({ until }) => `It was not sent again: the route is closed until ${timeOf(until)}.`,

  notCounted: 'its route was closed.',
};

function closedIn({ closed }: BarFacts): ClosedState {
  if (closed === undefined) throw new Error('only a closed route has these words');
  return closed;
}

function closedText({ until, why }: Barred): string {
  return `${REQUEST} is closed until ${timeOf(until)}: ${inertText(why)}.`;
}

export const closedRules = {
  closed: ({ until, why, isLoud }: Barred & { readonly isLoud: boolean }) =>
    `Closed until ${timeOf(until)}: ${inertText(why)}. Until then ${isLoud ? 'only its requester can approve, with a reason' : 'nobody can approve'}; rejections count.`,
};
