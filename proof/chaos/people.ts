import { setTimeout as pause } from 'node:timers/promises';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Twice } from '../../sandbox/workspace/user-actions.ts';
import { claimsOf } from '../simulation/claims.ts';
import type { Action } from '../simulation/evidence.ts';
import type { Gate } from './gate.ts';
import type { Observer } from './observer.ts';
import type { Random } from './random.ts';
import { ABLE, CHANNELS, ROUTES, UNABLE } from './settings.ts';

export interface LifeNeeds {
  readonly sandbox: Sandbox;
  readonly observer: Observer;
  readonly random: Random;
  /** Where automations reach the bots. */
  readonly intakeUrl: string;
  /** No new approvals are started once it is true. */
  readonly isOver: () => boolean;
}

const LABELS = { approve: 'Approve', reject: 'Reject', check: 'Check now' } as const;
const POSTED_WITHIN_MS = 120_000;
const DECIDED_WITHIN_MS = 90_000;
const INTAKE_MS = 8_000;

/** One approval from its creation until it is decided, or long enough after that. */
export async function runApproval(number: number, needs: LifeNeeds): Promise<void> {
  const gate = make(number, needs);
  needs.observer.gates.push(gate);
  await ask(gate, needs);
  if (!(await waitFor(() => needs.observer.placeOf(gate) !== undefined, POSTED_WITHIN_MS))) return;
  await pause(needs.random.between(0, 2_500));
  await befall(gate, needs);
  await decide(gate, needs);
}

function make(number: number, { sandbox, random }: LifeNeeds): Gate {
  const isOwn = random.chance(0.15);
  const name = `gate-${number}`;
  const title = `Deploy ${number}`;
  const madeAt = Date.now();
  const route = random.pick(ROUTES);
  return {
    name,
    title,
    token: isOwn ? null : sandbox.service.createApproval({ prompt: `Deploy ${number}?` }).token,
    route,
    channel: CHANNELS[number % CHANNELS.length] ?? '',
    requester: random.chance(0.1) ? 'U0ANA' : null,
    madeAt,
    deadlineAt: isOwn && random.chance(0.2) ? madeAt + random.between(20_000, 60_000) : null,
    intake: [],
    withdrawals: [],
    presses: [],
  };
}

/** As automations do: the same request again until the intake has accepted it; sometimes twice at once. */
async function ask(gate: Gate, needs: LifeNeeds): Promise<void> {
  const { random } = needs;
  for (;;) {
    const times = random.chance(0.05) ? 2 : 1;
    const taken = await Promise.all(Array.from({ length: times }, () => askOnce(gate, needs)));
    if (taken.includes(true)) return;
    await pause(random.between(200, 1_500));
  }
}

async function askOnce(gate: Gate, { intakeUrl, sandbox }: LifeNeeds): Promise<boolean> {
  const { token, name, title, route, channel, requester, deadlineAt, intake } = gate;
  const seen: Gate['intake'][number] = {
    at: Date.now(),
    answeredAt: null,
    status: null,
    record: null,
  };
  intake.push(seen);
  const body = {
    // If a request has nothing but its title, the thread does not keep it.
    ...(token === null ? { key: name, message: `${title}?` } : { token }),
    title,
    route: route.id,
    channel,
    ...(requester !== null && { requestedBy: { slackUser: requester } }),
    ...(deadlineAt !== null && { expiresAt: new Date(deadlineAt).toISOString() }),
  };
  try {
    const answer = await fetch(intakeUrl, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${sandbox.credentials.intakeSecret}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(INTAKE_MS),
    });
    const given: unknown = await answer.json().catch(() => null);
    seen.answeredAt = Date.now();
    seen.status = answer.status;
    const { id } = Object(given);
    if (answer.ok && typeof id === 'string') seen.record = id;
    // A deadline may pass before the bots are back: there is nothing to ask then.
    const isPast = answer.status === 422 && deadlineAt !== null && deadlineAt < Date.now() + 1_000;
    return answer.ok || isPast;
  } catch {
    // No answer: that is what is tested, and the evidence records it.
    return false;
  }
}

/** What can happen to it other than presses. */
async function befall(gate: Gate, needs: LifeNeeds): Promise<void> {
  const { sandbox, random, observer, intakeUrl } = needs;
  const { token } = gate;
  const drawn = random.next();
  if (drawn < 0.04 && token !== null) sandbox.service.timeOut(token);
  else if (drawn < 0.1 && token !== null) {
    sandbox.service.decide(token, random.chance(0.5) ? 'approve' : 'reject');
  } else if (drawn < 0.12) {
    const place = observer.placeOf(gate);
    if (place === undefined) return;
    observer.deletes(place);
    sandbox.workspace.deleteMessage(place.channel, place.ts);
    // The loss is noticed when the message has to change.
    if (token !== null) sandbox.service.decide(token, 'approve');
  } else if (drawn < 0.14) {
    const record = gate.intake.findLast((each) => each.record !== null)?.record;
    const withdrawal: Gate['withdrawals'][number] = { at: Date.now(), answeredAt: null };
    gate.withdrawals.push(withdrawal);
    const answer = await fetch(`${intakeUrl}/${record}/withdraw`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sandbox.credentials.intakeSecret}` },
      signal: AbortSignal.timeout(INTAKE_MS),
    }).catch(() => undefined);
    // Certainly refused: then there was no withdrawal.
    if (answer?.ok) withdrawal.answeredAt = Date.now();
    if (answer !== undefined && answer.status >= 400 && answer.status < 500) gate.withdrawals.pop();
  }
}

/** People press: one, several at once, those who cannot; and then again, until it is decided. */
async function decide(gate: Gate, needs: LifeNeeds): Promise<void> {
  const { random } = needs;
  const drawn = random.next();
  const first = random.shuffle(ABLE).slice(0, drawn < 0.4 ? 1 : drawn < 0.8 ? 2 : 3);
  const people = [...first, ...(random.chance(0.15) ? [random.pick(UNABLE)] : [])];
  const presses = people.map(async (person) => {
    await pause(random.between(0, 400));
    const twice = random.chance(0.04) ? 'pressed' : random.chance(0.04) ? 'delivered' : undefined;
    await press(gate, needs, person, random.chance(0.75) ? 'approve' : 'reject', twice);
    // A person who changes their mind: the last press counts.
    if (random.chance(0.05))
      await press(gate, needs, person, random.chance(0.5) ? 'approve' : 'reject');
  });
  await Promise.all(presses);
  const endAt = Date.now() + DECIDED_WITHIN_MS;
  while (Date.now() < endAt && !needs.isOver()) {
    if (await waitFor(() => isDone(gate, needs), random.between(6_000, 14_000))) return;
    const person = random.pick(ABLE);
    const kind = shows(gate, needs)?.unknown === true ? 'check' : 'approve';
    await press(gate, needs, person, kind);
  }
}

function shows(gate: Gate, { observer }: LifeNeeds) {
  const place = observer.placeOf(gate);
  const version = place === undefined ? undefined : observer.latest(place);
  return version === undefined ? undefined : claimsOf(version);
}

function isDone(gate: Gate, needs: LifeNeeds): boolean {
  const shown = shows(gate, needs);
  return shown?.withdrawn === true || (shown?.status ?? null) !== null;
}

/** As people do: again while Slack says that it failed and the button is there. */
async function press(
  gate: Gate,
  { sandbox, observer, random }: LifeNeeds,
  person: string,
  action: Action | 'check',
  twice?: Twice,
): Promise<void> {
  for (let tries = 0; tries < 4; tries += 1) {
    const place = observer.placeOf(gate);
    const shown = place === undefined ? undefined : observer.latest(place);
    if (place === undefined || shown === undefined) return;
    const label = LABELS[action];
    if (!JSON.stringify(shown.blocks).includes(`"text":"${label}"`)) return;
    const at = Date.now();
    const delivery = await sandbox.workspace
      .click({ user: person, ...place, label, ...(twice && { twice }) })
      // The message changed at this moment: there was no button to press.
      .catch(() => undefined);
    if (delivery === undefined) return;
    const note = ({ acknowledged, ackMs, shown: slackSays }: typeof delivery): void => {
      const acknowledgedAt = acknowledged ? at + Math.ceil(ackMs) : null;
      gate.presses.push({
        person,
        approval: gate.name,
        action,
        at,
        acknowledgedAt,
        shown: slackSays,
        doubled: twice === 'delivered' && delivery.second !== undefined,
      });
    };
    const { second } = delivery;
    // Pressing twice is two presses; a delivery that Slack repeats is one press, of which Slack shows the first result.
    note(delivery);
    if (twice === 'pressed' && second !== undefined) note(second);
    if (delivery.acknowledged || second?.acknowledged) return;
    await pause(random.between(500, 2_000));
  }
}

async function waitFor(isSo: () => boolean, withinMs: number): Promise<boolean> {
  const endAt = Date.now() + withinMs;
  while (!isSo()) {
    if (Date.now() > endAt) return false;
    await pause(150);
  }
  return true;
}
