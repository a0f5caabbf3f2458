import type { Route } from '../../config/config.ts';
import { cleanLine } from '../../lib/clean-line.ts';
import { bold, dateText, escapeMrkdwn } from '../../slack/text.ts';
import { type Approval, messagePart } from '../approval.ts';
import { type Face, faceOf } from '../face.ts';
import { cut } from '../overflow.ts';
import { UNKNOWN } from '../sentences.ts';
import type { OpenRequest } from './look-through.ts';

/** A request as one of a list: so much of other people's text that a whole page fits into a message. */
const TITLE_MAX = 160;
const REQUESTER_MAX = 80;

export interface RequestFacts {
  /** Who reads it. */
  readonly user: string;
  readonly routeNamed: (name: string) => Route | undefined;
  /** A link to its message, where Slack gave one. */
  readonly linkOf: (request: OpenRequest) => string | undefined;
  readonly now: number;
}

/** For who may decide. */
export function waitingText(request: OpenRequest, facts: RequestFacts): string {
  const { approval } = request;
  const details = [stateFor(approval, facts), ...deadlineOf(approval), ...askerOf(approval)];
  return textOf(request, details, facts);
}

/** For who asked. */
export function askedText(request: OpenRequest, facts: RequestFacts): string {
  const { approval } = request;
  const details = [stateOf(approval, faceIn(approval, facts)), ...deadlineOf(approval)];
  return textOf(request, details, facts);
}

function textOf(
  request: OpenRequest,
  details: readonly string[],
  { linkOf }: RequestFacts,
): string {
  const { approval } = request;
  const title = cut(escapeMrkdwn(cleanLine(approval.title ?? '')), TITLE_MAX)[0];
  const where = whereOf(approval, linkOf(request));
  return `${bold(title || 'Approval needed')}\n${[...details, where].join(' · ')}`;
}

/** `approval` waits, or was about to be decided. */
function stateFor(approval: Approval, facts: RequestFacts): string {
  const face = faceIn(approval, facts);
  const hasApproved = approval.ballots.some(
    ({ user, action }) => user === facts.user && action === 'approve',
  );
  if (face.state !== 'waiting' || !hasApproved) return stateOf(approval, face);
  const missing = face.needed - face.approvedBy.length;
  // The route may need fewer than when they approved, and only a press counts them.
  if (missing <= 0) return 'You approved, and fewer are needed now: press Approve again';
  return `You approved, waiting for ${missing} more`;
}

function stateOf({ createdAt }: Approval, face: Face): string {
  switch (face.state) {
    case 'waiting': {
      const { needed, approvedBy } = face;
      const progress = needed > 1 ? ` · ${approvedBy.length} of ${needed} approvals` : '';
      return `Waiting since ${dateOf(createdAt)}${progress}`;
    }
    case 'deciding':
      return `Being decided by <@${face.by}>`;
    case 'unknown':
      return `State unknown: ${UNKNOWN[face.why]}`;
    default:
      // What is decided or withdrawn stands on no list.
      return 'No longer open';
  }
}

function deadlineOf({ expiresAt }: Approval): string[] {
  return expiresAt === undefined ? [] : [`decide before ${dateOf(expiresAt)}`];
}

function askerOf({ requester }: Approval): string[] {
  if (requester?.user !== undefined) return [`asked by <@${requester.user}>`];
  const name = cleanLine(requester?.name ?? requester?.email ?? '');
  return name === '' ? [] : [`asked by ${cut(escapeMrkdwn(name), REQUESTER_MAX)[0]}`];
}

function whereOf(approval: Approval, link: string | undefined): string {
  if (link !== undefined) return `<${link}|Open>`;
  const { ts, attempt } = messagePart(approval);
  // Its place may not be noted yet.
  const isPosted = ts !== undefined || attempt !== undefined;
  return isPosted ? `in <#${approval.channel}>` : 'its message is not posted yet';
}

function faceIn(approval: Approval, { routeNamed, now }: RequestFacts): Face {
  return faceOf(approval, { route: routeNamed(approval.route) }, now);
}

function dateOf(at: number): string {
  return dateText(at, new Date(at).toISOString());
}
