import { APPROVAL_KIND, type Approval, isOpen, messagePost } from '../../approvals/approval.ts';
import { listsOf } from '../../approvals/decision/lists-of.ts';
import { encodeSignal } from '../../approvals/decision/signal.ts';
import { statusOf } from '../../approvals/decision/status.ts';
import { decodeApproval, encodeApproval } from '../../approvals/stored-approval.ts';
import type { Route } from '../../core/config/config.ts';
import type { System } from '../../core/lib/system.ts';
import type { AuditEntry, Store } from '../../core/store/store.ts';
import { wordsOf } from '../story.ts';
import { advice, type Found, fine, wrong } from './found.ts';

const PRESS_MS = 60_000;
/** For the rest of a pressed request, and for a withdrawal. */
const END_MS = 10_000;
const LOOK_MS = 250;
/** A request whose doctor was killed times out by itself. */
const EXPIRY_MS = PRESS_MS + 2 * END_MS;
/** No source of the configuration can have this id, so nobody gets a callback. */
export const SOURCE = 'gatepost doctor';
const TITLE = 'Gatepost check';

export interface RouteCheckNeeds {
  readonly store: Store;
  readonly route: Route;
  readonly system: System;
  /** Who runs it, for the audit log. */
  readonly actor: string;
  readonly signal: AbortSignal;
  readonly say: (sentence: string) => void;
  /** What to do if no press arrives. */
  readonly unpressed: string;
}

/**
 * Asks on the route, through the store that the running bot shares, and waits for a press. The result has a line for
 * everything that was stored, sent and shown. The request is withdrawn unless the press decided it. Throws StoreError.
 */
export async function checkRoute(needs: RouteCheckNeeds): Promise<Found> {
  const { name, requester } = needs.route;
  if (requester === 'verified') {
    return advice(
      `the route ${name} demands proof of who asks, which doctor does not have`,
      'Have a pipeline ask on it with its identity token.',
    );
  }
  const { store, signal } = needs;
  const id = await ask(needs);
  const pressed = await follow(needs, id, signal);
  if (isOpen(pressed.approval)) {
    const body = encodeSignal({ kind: 'withdraw' });
    await store.signal(id, { id: needs.system.random.uuid(), body }, { hold: false });
  }
  // Also after Ctrl-C.
  const { approval, shownAt } = await untilShown(needs, id, pressed);
  const entries: AuditEntry[] = [];
  for await (const entry of store.readAudit({ record: id })) entries.push(entry);
  const told = entries.map((entry) => [entry.at, `${entry.actor}  ${wordsOf(entry)}`] as const);
  const shown = `gatepost  changed the message: ${statusOf(approval)}`;
  const lines = shownAt === undefined ? told : [...told, [shownAt, shown] as const];
  lines.sort(([one], [other]) => one - other);
  const found = foundOf(needs, approval, entries);
  const story = lines.map(([at, text]) => `${new Date(at).toISOString().slice(11, 23)}  ${text}`);
  return { ...found, detail: [found.detail, ...story].join('\n') };
}

async function ask({ store, route, system, actor }: RouteCheckNeeds): Promise<string> {
  const createdAt = store.now();
  const { name, channel } = route;
  const approval: Approval = {
    key: system.random.uuid(),
    source: SOURCE,
    sourceName: SOURCE,
    // Known, and no person, so that every reviewer can decide.
    requester: { name: SOURCE, known: true },
    route: name,
    channel,
    createdAt,
    title: TITLE,
    message: 'Press Approve or Reject: nothing depends on it.',
    expiresAt: createdAt + EXPIRY_MS,
    posts: [{ name: 'message', channel }],
    watch: { state: 'pending', nextAt: createdAt + EXPIRY_MS },
    queue: [],
    ballots: [],
    replies: [],
  };
  const facts = { route: name, channel };
  const created = await store.create(
    {
      kind: APPROVAL_KIND,
      data: encodeApproval(approval),
      lane: 'people',
      dueInMs: 0,
      place: { channel, message: null },
      lists: listsOf(approval),
      audit: [{ action: 'approvals.asked', record: null, actor, facts }],
    },
    { hold: false },
  );
  return created.kind === 'created' ? created.id : created.record.id;
}

interface Followed {
  readonly approval: Approval;
  /** When its message was first seen to state the outcome. */
  readonly shownAt?: number;
}

/** Until a press has had its effect, or for a minute. */
async function follow(needs: RouteCheckNeeds, id: string, signal: AbortSignal): Promise<Followed> {
  const { system, say, route, store } = needs;
  const { clock, timers } = system;
  let endAt = clock.monotonic() + PRESS_MS;
  let isSaid = false;
  let isPressed = false;
  for (;;) {
    const approval = await present(store, id);
    if (!isSaid && messagePost(approval).ts !== undefined) {
      isSaid = true;
      say(`Press a button of "${TITLE}" in ${route.channel} within a minute.`);
    }
    if (!isPressed && isCounted(approval)) {
      isPressed = true;
      endAt = clock.monotonic() + END_MS;
    }
    if (approval.stated !== undefined) return { approval, shownAt: store.now() };
    const isRefused = approval.history !== undefined && !isCounted(approval);
    if (isRefused || clock.monotonic() >= endAt || signal.aborted) return { approval };
    await timers.sleep(LOOK_MS);
  }
}

/** Until its message states how it ended, for some seconds. */
async function untilShown(
  { store, system: { clock, timers } }: RouteCheckNeeds,
  id: string,
  followed: Followed,
): Promise<Followed> {
  if (followed.shownAt !== undefined) return followed;
  const endAt = clock.monotonic() + END_MS;
  for (;;) {
    const approval = await present(store, id);
    const isShown = !isOpen(approval) && approval.shown !== followed.approval.shown;
    if (isShown) return { approval, shownAt: store.now() };
    const isUnposted = !isOpen(approval) && messagePost(approval).ts === undefined;
    if (isUnposted || clock.monotonic() >= endAt) return { approval };
    await timers.sleep(LOOK_MS);
  }
}

async function present(store: Store, id: string): Promise<Approval> {
  const record = await store.read(id);
  // It stays for a day or longer.
  if (record === undefined) throw new Error('the request of the check is no longer stored');
  return decodeApproval(record);
}

function isCounted({ history, outcome }: Approval): boolean {
  return outcome !== undefined || history?.events.some(({ kind }) => kind === 'counted') === true;
}

function foundOf(
  { route, unpressed }: RouteCheckNeeds,
  approval: Approval,
  entries: readonly AuditEntry[],
): Found {
  const { ts, refused } = messagePost(approval);
  if (refused !== undefined) {
    return wrong(
      `Slack refuses the message in ${route.channel} (${refused})`,
      'See the check channels.',
    );
  }
  if (ts === undefined) {
    const fix = 'Check that Gatepost runs with this store and these settings, and see its log.';
    return wrong('no running bot posted the request within a minute', fix);
  }
  const { outcome, history } = approval;
  if (outcome !== undefined) {
    return fine(`a press on the route ${route.name} decided: ${outcome.status}`);
  }
  if (history === undefined) return wrong(NO_PRESS, unpressed);
  if (isCounted(approval)) {
    return fine(`a press on the route ${route.name} counted; the route needs more to decide`);
  }
  const why = entries.flatMap(({ facts }) => facts.refused ?? []).join(', ');
  return advice(
    `a press on the route ${route.name} arrived and did not count${why && ` (${why})`}`,
    why === 'not-a-reviewer'
      ? 'Press as a reviewer of the route to see a decision.'
      : 'Do what Gatepost told the person who pressed, then check again.',
  );
}

export const NO_PRESS = 'no press reached the running bot within a minute';
