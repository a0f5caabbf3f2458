import { createMovingLine } from '../src/cli/moving-line.ts';
import type { Terminal } from '../src/cli/terminal.ts';
import { cleanLine } from '../src/core/lib/clean-line.ts';
import { clip } from '../src/core/lib/clip.ts';
import type { System } from '../src/core/lib/system.ts';
import { openText } from './contract/details-text.ts';
import { GateError } from './contract/gate-error.ts';
import type { GateDetails } from './gate-client.ts';

/** Shows progress while a command waits: a moving line in a terminal, or plain lines in a log. */
interface WaitingScreen {
  show(news: GateDetails | GateError): void;
  /** The line that names the request, unless it was shown. */
  showAsked(details: GateDetails): void;
  /** A permanent line. */
  say(sentence: string): void;
  /** Removes the moving line. */
  close(): void;
}

/** Many runners end a job without output after ten minutes. */
const SIGN_OF_LIFE_MS = 5 * 60_000;

/** What the line about a new request says beside its short id and the address of its message. */
export interface Asked {
  readonly title: string | undefined;
  readonly deadlineAt: number;
  /** A key that nobody else knows; undefined: it is given, or the request has a token. */
  readonly ownKey: string | undefined;
}

export function createScreen(terminal: Terminal, system: System, asked: Asked): WaitingScreen {
  const { stderr } = terminal;
  const { clock } = system;
  const moving = createMovingLine(terminal, system, 0);
  const isMoving = stderr.isTTY === true;
  let text = '';
  let saidAt = clock.monotonic();
  let isAsked = false;
  let isLinkShown = false;
  let isFirst = true;

  const say = (sentence: string) => {
    saidAt = clock.monotonic();
    moving.clear();
    stderr.write(`${sentence}\n`);
  };

  const showAsked = (details: GateDetails) => {
    if (isAsked) return;
    isAsked = true;
    isLinkShown = details.permalink !== undefined;
    say(askedText(details, asked, clock.now()));
    if (asked.ownKey !== undefined) say(`To resume: --key ${asked.ownKey}`);
  };

  return {
    say,
    showAsked,
    show(news) {
      const isPosting = !(news instanceof GateError) && isBeingPosted(news);
      if (!(news instanceof GateError)) {
        // The line says where its message is: it waits a moment for that.
        if (!isPosting || !isFirst) showAsked(news);
        isFirst = false;
      }
      const now = textOf(news);
      const isSilent = clock.monotonic() - saidAt >= SIGN_OF_LIFE_MS;
      const isLoud = news instanceof GateError || isAsked;
      if (!isMoving && isLoud && (now !== text || isSilent)) say(now);
      text = isLoud ? now : '';
      moving.show(now);
      if (!isAsked || isLinkShown) return;
      if (news instanceof GateError || news.permalink === undefined) return;
      // On a line of its own, because the moving one is cut at the terminal's width.
      say(cleanLine(`Message in Slack: ${news.permalink}`));
      isLinkShown = true;
    },
    close: () => moving[Symbol.dispose](),
  };
}

function isBeingPosted({ permalink, status }: GateDetails): boolean {
  return permalink === undefined && status === 'PENDING';
}

/** “Asked: "Deploy 4.2" · 7H2N-K4QM · until tomorrow 02:28 · https://…”. */
function askedText({ shortId, permalink }: GateDetails, asked: Asked, now: number): string {
  const { title, deadlineAt } = asked;
  const named = title === undefined ? [] : [`"${clip(cleanLine(title), TITLE_MAX)[0]}"`];
  const parts = [...named, shortId, untilText(deadlineAt, now), permalink ?? []].flat();
  return cleanLine(`Asked: ${parts.join(' · ')}`);
}

const TITLE_MAX = 80;
const DAY_MS = 86_400_000;

/** In the time of this machine. */
export function untilText(at: number, now: number): string {
  const zone = new Date(at).getTimezoneOffset() === 0 ? ' UTC' : '';
  const pad = (part: number) => String(part).padStart(2, '0');
  const day = (ms: number) => {
    const date = new Date(ms);
    return `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`;
  };
  const date = new Date(at);
  const time = `${pad(date.getHours())}:${pad(date.getMinutes())}${zone}`;
  if (day(at) === day(now)) return `until ${time}`;
  // At noon no change of the clocks moves it to another day.
  const noon = new Date(now).setHours(12, 0, 0, 0);
  return day(at) === day(noon + DAY_MS) ? `until tomorrow ${time}` : `until ${day(at)} ${time}`;
}

/** The state of an open request, or the problem. */
export function textOf(news: GateDetails | GateError): string {
  return news instanceof GateError ? `${cleanLine(news.message)} Trying again.` : openText(news);
}
