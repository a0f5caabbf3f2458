import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Chance } from './chance.ts';
import type { Chronicle } from './chronicle.ts';
import type { Gate, Observer } from './observer.ts';
import type { Scheduler } from './scheduler.ts';
import { GROUP, ROUTES } from './settings.ts';

interface PeopleNeeds {
  readonly sandbox: Sandbox;
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly observer: Observer;
  readonly chronicle: Chronicle;
  readonly now: () => number;
}

const BUTTONS = { approve: 'Approve', reject: 'Reject', check: 'Check now' } as const;
type Action = keyof typeof BUTTONS;

/** All who are in the channels of the world. */
export const EVERYBODY = ['U0ANA', 'U0BEN', 'U0CLEO', 'U0DANA', 'U0UNA', 'U0IVO', 'U0GUS'] as const;
/** Who comes and goes; Ana stays, so that there is always somebody. */
const RESTLESS = ['U0BEN', 'U0CLEO', 'U0DANA'] as const;
/** A list that was read so long ago may stand in for one that Slack does not give. */
const REMEMBERED_MS = 60_000;
/** The longest way of an answer that is not late. */
const ON_ITS_WAY_MS = 400;
const ABLE = ['U0ANA', ...RESTLESS] as const;

/** People who look at messages and press buttons, with the right to or without, once or more often. */
export class People {
  readonly #needs: PeopleNeeds;
  /** Presses that Slack has not shown the end of yet. */
  underWay = 0;
  /** Who is out, by what. */
  readonly #out = new Map<string, 'slack' | 'service' | 'group'>();
  /** Who is before a form. */
  readonly #atForms = new Set<string>();
  /** Until when a replica may not ask Slack for the group. */
  #limitedUntil = 0;
  /** When somebody left the group last. */
  readonly #leftAt = new Map<string, number>();

  constructor(needs: PeopleNeeds) {
    this.#needs = needs;
    const { observer, now, sandbox } = needs;
    sandbox.workspace.setUserGroup(GROUP, { users: ABLE });
    for (const person of EVERYBODY) {
      const can = ABLE.some((each) => each === person);
      observer.rights.push({ at: now(), person, can, serviceUser: this.#serviceUser(person) });
    }
  }

  /** They see a new message. */
  see(gate: Gate): void {
    const { chance, scheduler } = this.#needs;
    if (chance.often(0.1)) return;
    const reviewers = [...gate.reviewers];
    const presses = gate.quorum + (chance.often(0.4) ? chance.whole(1, 2) : 0);
    const action: Action = chance.often(0.7) ? 'approve' : 'reject';
    const firstMs = chance.wait(400, 6_000, 90_000);
    for (let count = 0; count < presses; count += 1) {
      const person = chance.often(0.93) ? chance.pick(reviewers) : chance.pick(EVERYBODY);
      if (person === undefined) return;
      const opposite: Action = action === 'approve' ? 'reject' : 'approve';
      const theirs = chance.often(0.8) ? action : opposite;
      // Some at the very moment at which somebody else presses.
      const ms = chance.often(0.4)
        ? firstMs + chance.whole(0, 40)
        : chance.wait(400, 9_000, 90_000);
      scheduler.after(ms, () => this.#press(gate, person, theirs));
    }
  }

  /** Somebody leaves the company, the service or the group, and comes back later. */
  leave(): void {
    const { chance, scheduler } = this.#needs;
    const person = chance.pick(RESTLESS);
    if (this.#out.has(person)) return;
    const what = chance.pick(['slack', 'service', 'group'] as const);
    this.#out.set(person, what);
    this.#change(person, what, false);
    scheduler.after(chance.whole(3_000, 60_000), () => {
      this.#out.delete(person);
      this.#change(person, what, true);
    });
  }

  /** Meanwhile a list that is less than a minute old counts: see `src/core/slack/lookup.ts`. */
  groupLimited(restMs: number): void {
    this.#limitedUntil = Math.max(this.#limitedUntil, this.#needs.now() + ON_ITS_WAY_MS + restMs);
    for (const person of this.#out.keys()) this.#mayCount(person);
  }

  /** A moment with the right, for who may still be on that list; a refusal is right as well. */
  #mayCount(person: string): void {
    const { now } = this.#needs;
    const leftAt = this.#leftAt.get(person) ?? Number.NEGATIVE_INFINITY;
    if (this.#out.get(person) !== 'group' || now() - leftAt > REMEMBERED_MS) return;
    this.#rightInGroup(person, true);
    this.#rightInGroup(person, false);
  }

  #rightInGroup(person: string, can: boolean): void {
    const { observer, now } = this.#needs;
    const serviceUser = this.#serviceUser(person);
    const routes = ROUTES.filter(({ group }) => group !== undefined).map(({ name }) => name);
    for (const gate of observer.gates.filter(({ route }) => routes.includes(route))) {
      observer.rights.push({ at: now(), person, can, approval: gate.name, serviceUser });
    }
  }

  /**
   * Whoever mended Gatepost's access presses Check now on one waiting message, as the alert tells them to: unless
   * the service has answered for any approval since, for then all of them resume by themselves.
   */
  checkOne(mendedAt: number): void {
    const { observer, sandbox } = this.#needs;
    const isLetIn = ({ calls }: Gate) =>
      calls.some(
        ({ at, status, readable }) =>
          at >= mendedAt && readable && (status === 200 || status === 404 || status === 409),
      );
    if (observer.gates.some(isLetIn)) return;
    const isRefused = ({ place }: Gate) => {
      const shown = place && sandbox.workspace.message(place.channel, place.ts);
      const words = JSON.stringify(shown?.blocks ?? []);
      return words.includes(BUTTONS.check) && words.includes('refuses Gatepost');
    };
    const gate = observer.gates.find(isRefused);
    if (gate !== undefined) this.#press(gate, ABLE[0], 'check');
  }

  #change(person: string, what: 'slack' | 'service' | 'group', isIn: boolean): void {
    const { sandbox, observer, chronicle, now } = this.#needs;
    const { workspace, service } = sandbox;
    const serviceUser = this.#serviceUser(person);
    chronicle.noteForAll(person, `${isIn ? 'is back in' : 'leaves'} ${what}`);
    if (what === 'group') {
      const away = [...this.#out].flatMap(([who, from]) => (from === 'group' ? [who] : []));
      workspace.setUserGroup(GROUP, { users: ABLE.filter((each) => !away.includes(each)) });
      if (!isIn) this.#leftAt.set(person, now());
      this.#rightInGroup(person, isIn);
      return;
    }
    if (what === 'service') service.setUser(`${emailOf(sandbox, person)}`, { active: isIn });
    else if (!isIn) workspace.deactivate(person);
    else {
      workspace.setUser(person, { deleted: false });
      for (const { channel } of ROUTES) workspace.invite(channel, person);
    }
    const gone = what === 'slack' && !isIn;
    observer.rights.push({ at: now(), person, can: isIn, gone, serviceUser });
  }

  /** Whether the person can decide this gate now, as an approval that is made now has to know. */
  opened(gate: Gate): void {
    const { observer, now } = this.#needs;
    const route = ROUTES.find(({ name }) => name === gate.route);
    if (route?.group === undefined) return;
    for (const [person, what] of this.#out) {
      if (what !== 'group') continue;
      const serviceUser = this.#serviceUser(person);
      observer.rights.push({ at: now(), person, can: false, approval: gate.name, serviceUser });
    }
  }

  #press(gate: Gate, person: string, action: Action): void {
    const { sandbox, chance, observer, chronicle, scheduler, now } = this.#needs;
    if (gate.place === null) return;
    if (now() <= this.#limitedUntil) this.#mayCount(person);
    const isAsked =
      action === 'reject' && ROUTES.some((each) => each.wantsReason && each.name === gate.route);
    if (isAsked) {
      this.#pressWithReason(gate, person);
      return;
    }
    const at = now();
    const isTwice = chance.often(0.1);
    const press = { user: person, ...gate.place, label: BUTTONS[action] };
    const carried = sandbox.workspace.click({ ...press, ...(isTwice && { twice: 'pressed' }) });
    this.underWay += 1;
    carried
      .then((delivery) => {
        chronicle.note(person, `presses ${action} at ${gate.name}`, gate.name);
        for (const each of [delivery, ...(delivery.second ? [delivery.second] : [])]) {
          const acknowledgedAt = each.acknowledged ? at + each.ackMs : null;
          observer.presses.push({
            person,
            approval: gate.name,
            action,
            at,
            acknowledgedAt,
            shown: each.shown,
          });
          chronicle.note(
            person,
            `sees ${each.shown ?? 'the press taken'} (${gate.name})`,
            gate.name,
          );
        }
        // Who is shown that it failed presses again, mostly.
        if (!delivery.acknowledged && chance.often(0.7)) {
          scheduler.after(chance.whole(500, 4_000), () => this.#press(gate, person, action));
        }
      })
      .catch((error: unknown) => {
        // The button is not there any more, or the person is not.
        chronicle.note(person, `finds no ${action} at ${gate.name}: ${String(error)}`, gate.name);
      })
      .finally(() => {
        this.underWay -= 1;
      });
  }

  /** The press opens a modal that asks why; what is written there is the press that counts. */
  #pressWithReason(gate: Gate, person: string): void {
    const { sandbox, chance, observer, chronicle, scheduler, now } = this.#needs;
    const { workspace } = sandbox;
    const { place } = gate;
    // One form at a time is before a person.
    if (place === null || this.#atForms.has(person)) return;
    this.#atForms.add(person);
    const typed = { person, text: `Reject at ${gate.name}`, at: now(), acknowledged: false };
    const carryOut = async () => {
      const opening = workspace.click({ user: person, ...place, label: BUTTONS.reject });
      const command = { ...typed, answer: null as string | null };
      observer.typed(command);
      const delivery = await opening.catch((error: unknown) => {
        command.answer = 'The button is not there any more';
        throw error;
      });
      command.acknowledged = delivery.acknowledged;
      command.answer ??= delivery.shown;
      chronicle.note(person, `presses reject at ${gate.name}, to say why`, gate.name);
      const isThere = () => workspace.modal(person) !== undefined;
      for (let look = 0; look < 10 && !isThere(); look += 1) await scheduler.sleep(300);
      if (!isThere()) return;
      await scheduler.sleep(chance.whole(500, 8_000));
      if (chance.often(0.1)) {
        await workspace.closeModal({ user: person, all: true });
        return;
      }
      const text = `Not ${gate.name} (${person})`;
      const at = now();
      const submitting = workspace.submit({
        user: person,
        values: { 'approvals.reason.text': text },
      });
      if (!gate.reasons.some((each) => each.person === person)) gate.reasons.push({ person, text });
      const end = await submitting;
      const acknowledgedAt = end.acknowledged ? at + end.ackMs : null;
      const { shown } = end;
      const press = {
        person,
        approval: gate.name,
        action: 'reject',
        at,
        acknowledgedAt,
        shown,
      } as const;
      observer.presses.push(press);
      // That it was not recorded, in the place of the form.
      if (end.acknowledged && end.body !== '') observer.showed(person, place.channel, end.body);
      chronicle.note(person, `sees ${shown ?? 'the reason taken'} (${gate.name})`, gate.name);
      if (workspace.modal(person)) await workspace.closeModal({ user: person, all: true });
    };
    this.underWay += 1;
    carryOut()
      .catch((error: unknown) => {
        chronicle.note(person, `finds no reject at ${gate.name}: ${String(error)}`, gate.name);
      })
      .finally(() => {
        this.#atForms.delete(person);
        this.underWay -= 1;
      });
  }

  #serviceUser(person: string): string | null {
    const email = emailOf(this.#needs.sandbox, person);
    return (
      this.#needs.sandbox.service.users().find(({ userName }) => userName === email)?.id ?? null
    );
  }
}

function emailOf(sandbox: Sandbox, person: string): string {
  return sandbox.workspace.user(person)?.profile.email ?? '';
}
