import { ONLY_REQUESTER } from '../../approvals/electorate/requester.ts';
import { cleanLine } from '../../core/lib/clean-line.ts';
import type { System } from '../../core/lib/system.ts';
import { createMovingLine } from '../moving-line.ts';
import type { Terminal } from '../terminal.ts';
import { type GateDetails, GateError } from './gate-client.ts';

/** Shows progress while a command waits: a moving line in a terminal, or plain lines in a log. */
interface WaitingScreen {
  show(news: GateDetails | GateError): void;
  /** A permanent line. */
  say(sentence: string): void;
  /** Removes the moving line. */
  close(): void;
}

/** Many runners end a job without output after ten minutes. */
const SIGN_OF_LIFE_MS = 5 * 60_000;

export function createScreen(terminal: Terminal, system: System): WaitingScreen {
  const { stderr } = terminal;
  const { clock } = system;
  const moving = createMovingLine(terminal, system, 0);
  const isMoving = stderr.isTTY === true;
  let text = '';
  let saidAt = clock.monotonic();
  let isLinkShown = false;

  const say = (sentence: string) => {
    saidAt = clock.monotonic();
    moving.clear();
    stderr.write(`${sentence}\n`);
  };

  return {
    say,
    show(news) {
      const now = textOf(news);
      const isSilent = clock.monotonic() - saidAt >= SIGN_OF_LIFE_MS;
      if (!isMoving && (now !== text || isSilent)) say(now);
      text = now;
      moving.show(now);
      if (isLinkShown || news instanceof GateError || news.permalink === undefined) return;
      // On a line of its own, because the moving one is cut at the terminal's width.
      say(cleanLine(`Message in Slack: ${news.permalink}`));
      isLinkShown = true;
    },
    close: () => moving[Symbol.dispose](),
  };
}

/** The state of an open request, or the problem. */
export function textOf(news: GateDetails | GateError): string {
  if (news instanceof GateError) return `${cleanLine(news.message)} Trying again.`;
  const { status, approvals, needs, permalink } = news;
  if (status === 'UNKNOWN') return 'The service has not given a final status yet. Waiting.';
  if (news.blocked === ONLY_REQUESTER) return NOBODY_ELSE;
  if (status === 'BLOCKED') {
    const code = news.posting.reason ?? 'no reason given';
    return cleanLine(`Slack refused the message (${code}). Gatepost is trying to post it again.`);
  }
  const posting = permalink === undefined ? ' · posting to Slack' : '';
  const count = approvals > 0 ? ` · ${approvals} approved` : '';
  const missing = needs.flatMap((each) =>
    each.have < each.count ? [`${each.count - each.have} of ${each.name}`] : [],
  );
  const still = missing.length > 0 ? ` · still needed: ${missing.join(', ')}` : '';
  return cleanLine(`Waiting for ${whoIsAsked(news)}${count}${still}${posting}`);
}

/** Of `only-requester`. */
export const NOBODY_ELSE = 'Only its requester can decide it: nobody else is asked.';

/** By name, as far as Gatepost knows: others are counted. */
function whoIsAsked({ reviewers, names = {} }: GateDetails): string {
  if (reviewers === undefined) return 'a decision';
  const { users, groups, channel } = reviewers;
  const named = users.flatMap((user) => names[user] ?? []).slice(0, SHOWN_MAX);
  const others = users.length - named.length;
  const more =
    named.length > 0 ? `${named.join(', ')} and ${others} more` : counted(others, 'reviewer');
  const people = others === 0 ? named.join(', ') : more;
  const teams = groups.length === 0 ? '' : counted(groups.length, 'group');
  const asked = [people, teams].filter((each) => each !== '').join(', ');
  if (asked === '') return channel ? 'anyone in the channel' : 'nobody: the route has no reviewers';
  return `${asked}${channel ? ' or anyone in the channel' : ''}`;
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}

/** Who decided, to follow the decision. Includes the id, because anybody can use any name. */
export function decidedBy({ outcome, names = {} }: GateDetails): string {
  const who = (outcome?.by ?? []).map((user) => {
    const name = names[user];
    return name === undefined ? user : `${cleanLine(name)} (${user})`;
  });
  return who.length === 0 ? '' : ` by ${who.join(', ')}`;
}

const SHOWN_MAX = 5;
