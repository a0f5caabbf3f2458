import { durationText } from '../src/cli/moving-line.ts';
import { safeJson } from '../src/cli/output.ts';
import { ASK_EXIT, type ExitCode, type Terminal } from '../src/cli/terminal.ts';
import { cleanLine } from '../src/core/lib/clean-line.ts';
import { instantOf } from '../src/core/lib/iso-time.ts';
import { ONLY_REQUESTER } from './contract/approval-details.ts';
import {
  decidedBy,
  NOBODY_ELSE,
  OWN_APPROVAL,
  whoIsAsked,
  whyWithdrawn,
} from './contract/details-text.ts';
import type { GateDetails } from './gate-client.ts';
import type { Settled, Unsettled } from './settle.ts';

/** How `ask` ends: its exit code, and a sentence with the reason. */
export interface End {
  readonly exitCode: ExitCode;
  readonly sentence: string;
  /** The request for programs, if newer than while waiting. */
  readonly details?: object;
}

/** `facts`: for programs, with --json. */
export function tell(
  { stdout, stderr }: Terminal,
  { exitCode, sentence }: End,
  facts: object | undefined,
): void {
  if (facts !== undefined) stdout.write(safeJson({ ...facts, exitCode, sentence }));
  else if (exitCode === ASK_EXIT.usage) stderr.write(`error: ${sentence}\n`);
  else stdout.write(`${sentence}\n`);
}

interface EndNeeds {
  /** The command to resume the request. */
  readonly resume: string;
  /** How to ask again after an earlier decision; empty: every run is a new request. */
  readonly newKeyHint: string;
  /** The exit code for a request that is still open. */
  readonly whenOpen: ExitCode;
  readonly now: number;
}

export function endOf(settled: Settled, needs: EndNeeds): End {
  const { kind } = settled;
  if (kind === 'known') return endOfKnown(settled, needs);
  if (kind === 'refused') return { exitCode: ASK_EXIT.usage, sentence: settled.reason };
  if (kind === 'out-of-time') return timedOut(settled.details, '', after(settled.details, needs));
  return unreached(settled, needs.resume);
}

/** `when`, and how long it took: at most one of them. */
function timedOut(details: GateDetails, when: string, took: string): End {
  const who = details.reviewers === undefined ? '' : ` Asked: ${cleanLine(whoIsAsked(details))}.`;
  const sentence = `Timed out${when}${took}: nobody decided in time.${who}`;
  return { exitCode: ASK_EXIT.TIMED_OUT, sentence };
}

function unreached({ id, reason, mayBeMade }: Unsettled, resume: string): End {
  if (!mayBeMade) return { exitCode: ASK_EXIT.undecided, sentence: `Nothing was asked. ${reason}` };
  const what = id === undefined ? 'whether the request was made' : 'how the request stands';
  const sentence = `It is not known ${what}. ${reason} ${resume}`;
  return { exitCode: ASK_EXIT.undecided, sentence };
}

type Known = Extract<Settled, { kind: 'known' }>;

function endOfKnown({ details, isEarlier }: Known, needs: EndNeeds): End {
  const { status, posting, permalink } = details;
  const { resume } = needs;
  const when = isEarlier ? ` ${ago(details, needs.now)}` : '';
  const took = isEarlier ? '' : after(details, needs);
  const newKeyHint = isEarlier ? needs.newKeyHint : '';
  switch (status) {
    case 'APPROVED':
      if (details.ownApproval)
        return { exitCode: ASK_EXIT.usage, sentence: `${OWN_APPROVAL}${newKeyHint}` };
      return {
        exitCode: ASK_EXIT.APPROVED,
        sentence: `Approved${decidedBy(details)}${when}${took}.`,
      };
    case 'REJECTED': {
      const said = `Rejected${decidedBy(details)}${when}${took}${reasonOf(details)}`;
      const end = /[.!?…]$/.test(said) || newKeyHint === '' ? '' : '.';
      return { exitCode: ASK_EXIT.REJECTED, sentence: `${said}${end}${newKeyHint}` };
    }
    case 'TIMED_OUT': {
      const { exitCode, sentence } = timedOut(details, when, took);
      return { exitCode, sentence: `${sentence}${newKeyHint}` };
    }
    case 'WITHDRAWN': {
      const why = whyWithdrawn(details) ?? ': nothing was decided';
      return { exitCode: ASK_EXIT.WITHDRAWN, sentence: `Withdrawn${when}${why}.${newKeyHint}` };
    }
    case 'BLOCKED': {
      if (details.blocked === ONLY_REQUESTER) {
        const sentence = `Not decided. ${NOBODY_ELSE} ${resume}`;
        return { exitCode: ASK_EXIT.undecided, sentence };
      }
      const code = cleanLine(posting.reason ?? 'no reason given');
      const sentence = `Not decided: Slack refuses the message (${code}), so nobody is asked. Ask a Gatepost administrator to fix that. ${resume}`;
      return { exitCode: ASK_EXIT.undecided, sentence };
    }
    case 'UNKNOWN':
      return {
        exitCode: ASK_EXIT.undecided,
        sentence: `It is not known how the request stands. ${resume}`,
      };
    default: {
      const where = permalink === undefined ? '' : ` ${cleanLine(permalink)}`;
      return { exitCode: needs.whenOpen, sentence: `${ASKED[needs.whenOpen] ?? ''}${where}` };
    }
  }
}

/** By exit code: with --no-wait, and without --wait. */
const ASKED: Readonly<Record<number, string>> = {
  [ASK_EXIT.asked]: 'Asked. Not decided yet.',
  [ASK_EXIT.undecided]:
    'Asked. Not decided yet, and not waited for: there was no --wait (--no-wait ends with 0).',
};

/** How long it took, by the clocks that are known; nothing if they do not fit. */
function after({ createdAt, outcome }: GateDetails, { now }: EndNeeds): string {
  const tookMs = (instantOf(outcome?.resolvedAt ?? '') ?? now) - Date.parse(createdAt);
  return tookMs < 1_000 ? '' : ` after ${durationText(tookMs + HALF_SECOND_MS)}`;
}

const HALF_SECOND_MS = 500;

function reasonOf({ ballots }: GateDetails): string {
  const reasons = ballots.flatMap(({ action, reason }) =>
    action === 'reject' && reason !== undefined ? [cleanLine(reason)] : [],
  );
  return reasons.length === 0 ? '.' : `: ${reasons.join('; ')}`;
}

/** When it ended. */
export function ago({ outcome, withdrawnAt = '' }: GateDetails, now: number): string {
  const at = instantOf(outcome?.resolvedAt ?? withdrawnAt);
  return at === null ? 'earlier' : agoText(now - at);
}

export function agoText(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'less than a minute ago';
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} days ago`;
}
