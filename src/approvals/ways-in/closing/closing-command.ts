import type { Route } from '../../../core/config/config.ts';
import { union } from '../../../core/config/values.ts';
import type { Core } from '../../../core/core.ts';
import { cleanLine } from '../../../core/lib/clean-line.ts';
import { RemoteFailure } from '../../../core/lib/failure.ts';
import { foldTyped, isHelp } from '../../../core/lib/fold-typed.ts';
import { knownZone } from '../../../core/lib/wall-clock.ts';
import { authorizePerson } from '../../../core/people/permission.ts';
import type { Present } from '../../../core/slack/answer-person.ts';
import type { ReplyContent } from '../../../core/slack/replies.ts';
import { code, unescapeMrkdwn } from '../../../core/slack/text.ts';
import { StoreError } from '../../../core/store/store.ts';
import type { Delivery } from '../../acted-at.ts';
import { lastOf, windowsAt } from '../../electorate/closed.ts';
import { closedFrom } from '../../electorate/closed-from.ts';
import { type ClosingSignal, isOver } from '../../electorate/closing.ts';
import { fullText, readEnd } from '../read-end.ts';
import { ALL, routesNamed } from '../routes-named.ts';
import { endRefusal, refusal, YOU_UNCHECKED } from '../typed-refusals.ts';
import { closedText, notClosedText, openedText, sinceText, windowText } from './closing-words.ts';
import { channelsOf, storeClosing, WHY_MAX } from './store-closing.ts';

/** `/approvals close` and `/approvals open`. */

/** A command after `/approvals`; `until` and `why` as typed, '' if missing. */
export type ClosingTyped =
  | { readonly kind: 'close'; readonly of: string; readonly until: string; readonly why: string }
  | { readonly kind: 'open'; readonly of: string };

/** undefined: it is about something else. */
export function readClosingTyped(text: string): ClosingTyped | undefined {
  const line = cleanLine(text);
  // A time may contain a colon, but no blank after it. The reason is shown as it was typed.
  const colon = line.indexOf(': ');
  const isClose = /^\W*close\b/iu.test(line) && colon >= 0;
  const typed = foldTyped(isClose ? line.slice(0, colon) : line);
  const [, word = '', rest = ''] = /^(close|open)(?: (.*))?$/iu.exec(typed) ?? [];
  if (word === '' || isHelp(rest)) return undefined;
  if (word.toLowerCase() === 'open') return { kind: 'open', of: rest };
  const [of = '', ...words] = rest.split(' ');
  return { kind: 'close', of, until: words.join(' '), why: isClose ? line.slice(colon + 2) : '' };
}

/** What the person reads. */
export async function answerClosing(
  core: Core,
  present: Present,
  typed: ClosingTyped,
  press: Delivery,
): Promise<ReplyContent> {
  const text = await change(core, present, typed, press).catch((error: unknown) => {
    if (error instanceof StoreError) return UNSTORED;
    if (error instanceof RemoteFailure) return YOU_UNCHECKED;
    throw error;
  });
  return { text };
}

async function change(
  core: Core,
  { user, channel }: Present,
  typed: ClosingTyped,
  { id, acted }: Delivery,
): Promise<string> {
  const routes = routesNamed(core.config, typed.of);
  if (typeof routes === 'string') return refusal(routes, EXAMPLES);
  // All routes: administrators only.
  const [one, ...others] = routes;
  const isOne = one !== undefined && others.length === 0 && typed.of.toLowerCase() !== ALL;
  const { administrators } = core.config;
  const who = isOne ? union(administrators, one.closers) : administrators;
  const permission = await authorizePerson(core, { ...who, channel: false }, { user, channel });
  if (permission.kind === 'failed') return YOU_UNCHECKED;
  if (permission.kind === 'not-allowed') {
    return refusal(isOne ? notAllowed(one.name) : NOT_ALL, 'Ask one of them.');
  }
  const by = { by: user, ...(acted && { acted }) };
  if (typed.kind === 'open') {
    return lineOfEach(routes, 'opened', (route) =>
      opened(core, route, { kind: 'open', ...by }, id),
    );
  }
  const { lookup, timers, timing, store } = core;
  const person = await lookup.person(user, { signal: timers.deadline(timing.stepMs) });
  const zone = knownZone(person.timeZone) ?? 'UTC';
  const now = store.now();
  const end = readEnd(unescapeMrkdwn(typed.until), now, zone);
  if (end.kind !== 'end') {
    if (/^(?:until)?$/iu.test(typed.until)) return refusal('Until when?', EXAMPLES);
    return endRefusal(typed.until, end, EXAMPLES, (at) => fullText(at, zone, now));
  }
  const why = cleanLine(unescapeMrkdwn(typed.why));
  if (why === '') return refusal('Why is it closed? Add it after a colon.', EXAMPLES);
  if (why.length > WHY_MAX) return refusal(`The reason is longer than ${WHY_MAX} characters.`, '');
  const closing = { kind: 'close', ...by, until: end.until, why } as const;
  return lineOfEach(routes, 'closed', async (route) => {
    const made = { ...closing, channels: channelsOf(route) };
    const closed = await storeClosing(core, route.name, id, made);
    if (closed === undefined) throw new Error('a closing is stored');
    const at = store.now();
    if (isOver(closed, at)) return sinceText(route.name, 'opened');
    const last = lastOf([closed, ...windowsAt(route, at)]) ?? closed;
    return closedText(route.name, last, closedFrom(at, timing));
  });
}

/** Routes lie in different parts of the store: one that is away does not concern the others. */
async function lineOfEach(
  routes: readonly Route[],
  not: 'closed' | 'opened',
  change: (route: Route) => Promise<string>,
): Promise<string> {
  const lines = routes.map((route) =>
    change(route).catch((error: unknown) => {
      if (error instanceof StoreError) return TROUBLE[error.code](`Route ${code(route.name)}`, not);
      throw error;
    }),
  );
  return (await Promise.all(lines)).join('\n');
}

async function opened(
  core: Core,
  route: Route,
  change: Omit<ClosingSignal & { kind: 'open' }, 'channels'>,
  id: string,
): Promise<string> {
  const channels = channelsOf(route);
  const closing = await storeClosing(core, route.name, id, { ...change, channels });
  const now = core.store.now();
  if (closing !== undefined && !isOver(closing, now)) return sinceText(route.name, 'closed again');
  return openedLine(route, closing !== undefined, now);
}

/** What `open` did. `wasClosed`: by somebody. */
export function openedLine(route: Route, wasClosed: boolean, now: number): string {
  const window = lastOf(windowsAt(route, now));
  if (window !== undefined) return windowText(route.name, window.until, wasClosed);
  return wasClosed ? openedText(route.name) : notClosedText(route.name);
}

function notAllowed(route: string): string {
  return `Only Gatepost administrators and the closers of route ${code(route)} can close and open it.`;
}

const NOT_ALL = 'Only Gatepost administrators can close and open all routes.';
const EXAMPLES =
  'Type for example `/approvals close production until Mon 08:00: Black Friday`, or `/approvals open production`.';
const UNSTORED =
  'Nothing was changed: Gatepost could not store it. Type the command again in a minute.';
const TROUBLE = {
  unavailable: (route: string, not: string) =>
    `${route} was not ${not}: Gatepost could not store it. Type the command again in a minute.`,
  unknown: (route: string) =>
    `${route}: Gatepost cannot tell yet whether that counts. Type the command again in a minute: it does no harm twice.`,
} as const;
