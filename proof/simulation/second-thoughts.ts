import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Block } from '../../sandbox/wire.ts';
import type { Delivery, Press } from '../../sandbox/workspace/user-actions.ts';
import type { Chance } from './chance.ts';
import type { Chronicle } from './chronicle.ts';
import type { Gate, Observer } from './observer.ts';
import type { Scheduler } from './scheduler.ts';
import { SECOND } from './settings.ts';

interface SecondThoughtsNeeds {
  readonly sandbox: Sandbox;
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly observer: Observer;
  readonly chronicle: Chronicle;
  readonly now: () => number;
  /** Somebody approves it again. */
  readonly approveAgain: (gate: Gate, person: string) => void;
}

const TAKE_BACK = 'approvals.take-back';
const REVIEW = 'approvals.review';
const DETAILS = 'Details…';
const CLEO = 'U0CLEO';
/** How many times somebody checks whether the button is there. */
const LOOKS = 10;
const LOOK_MS = 300;

/**
 * People who take their approval back, where they find the button: below the answer to their press, in *Details…*, on
 * the Home tab or in *Review*. Some do so as somebody else decides, some twice, some with their other account, and some
 * approve again.
 */
export class SecondThoughts {
  readonly #needs: SecondThoughtsNeeds;
  readonly #again: Chance;
  /** Presses whose result Slack has not shown yet. */
  underWay = 0;
  readonly #atForms = new Set<string>();

  constructor(needs: SecondThoughtsNeeds) {
    this.#needs = needs;
    this.#again = needs.chance.branch('again');
  }

  /** Somebody reads something about it: perhaps that their approval counts. */
  told(gate: Gate, person: string): void {
    const { chance, scheduler } = this.#needs;
    if (this.#answerWithButton(gate, person) === undefined) return;
    if (this.#again.often(0.15)) this.#pressAgainAndTakeBack(gate, person);
    if (!chance.often(0.15)) return;
    scheduler.after(chance.wait(200, 3_000, 30_000), () => this.#takeBack(gate, person));
    if (chance.often(0.2))
      scheduler.after(chance.wait(200, 3_000, 30_000), () => this.#takeBack(gate, person));
    if (chance.often(0.7))
      scheduler.after(chance.wait(3_000, 6_000, 40_000), () =>
        this.#needs.approveAgain(gate, person),
      );
  }

  /** At once, so that both arrive before either is looked at. */
  #pressAgainAndTakeBack(gate: Gate, person: string): void {
    const { scheduler, approveAgain } = this.#needs;
    const ms = this.#again.whole(0, 40);
    scheduler.after(ms, () => approveAgain(gate, person));
    scheduler.after(ms + this.#again.whole(1, 20), () => this.#takeBack(gate, person, 'answer'));
  }

  /** Somebody else's press is in flight: an approver may change their mind just then. */
  pressed(gate: Gate): void {
    if (this.#needs.chance.often(0.2)) this.#onceMore(gate, 700);
  }

  /** The same while the decision is in flight. */
  sent(gate: Gate): void {
    if (this.#needs.chance.often(0.5)) this.#onceMore(gate, 200);
  }

  /** By the button of its message, while it is held. */
  undo(gate: Gate, person: string): void {
    this.#takeBack(gate, person, 'message');
  }

  /** Below the answer to their press. */
  takeBack(gate: Gate, person: string): void {
    this.#takeBack(gate, person, 'answer');
  }

  #onceMore(gate: Gate, withinMs: number): void {
    const { chance, observer, scheduler } = this.#needs;
    if (gate.quorum < 2 && (gate.needs ?? []).length === 0) return;
    const voters = observer.presses.filter(
      ({ approval, action }) => approval === gate.name && action === 'approve',
    );
    const person = chance.pick(voters)?.person;
    if (person === undefined) return;
    // Usually where that takes no longer than a press.
    const way = chance.often(0.8) ? 'answer' : undefined;
    const ms = chance.whole(0, withinMs);
    // Most have just pressed once more.
    if (this.#answerWithButton(gate, person) !== undefined && this.#again.often(0.9))
      scheduler.after(Math.max(0, ms - this.#again.whole(1, 50)), () =>
        this.#needs.approveAgain(gate, person),
      );
    scheduler.after(ms, () => this.#takeBack(gate, person, way));
  }

  #takeBack(gate: Gate, person: string, where?: Way): void {
    const { chance, chronicle } = this.#needs;
    // Slack shows a reply only to the account that pressed: the other account has no answer with the button.
    const hasTwo = person === CLEO || person === SECOND;
    const by = hasTwo && chance.often(0.3) ? (person === CLEO ? SECOND : CLEO) : person;
    const way = where ?? (by === person ? chance.pick(WAYS) : chance.pick(WAYS.slice(1)));
    this.underWay += 1;
    this.#go(gate, by, way ?? 'answer')
      .catch((error: unknown) => {
        chronicle.note(by, `finds nothing to take back of ${gate.name}: ${error}`, gate.name);
      })
      .finally(() => {
        this.underWay -= 1;
      });
  }

  async #go(gate: Gate, person: string, way: Way): Promise<void> {
    const { sandbox, scheduler } = this.#needs;
    const { workspace } = sandbox;
    if (way === 'message') {
      if (gate.place === null) return;
      await this.#press(gate, person, { ...gate.place, actionId: TAKE_BACK });
      return;
    }
    if (way === 'answer') {
      const spot = this.#answerWithButton(gate, person);
      if (spot !== undefined) await this.#press(gate, person, spot);
      return;
    }
    if (way === 'home') {
      workspace.openHome(person);
      const inRow = await this.#find(gate, person, 'home', TAKE_BACK);
      if (inRow !== undefined) {
        await this.#press(gate, person, { surface: 'home', actionId: inRow });
        return;
      }
    }
    // A person has one form open at a time.
    if (this.#atForms.has(person) || workspace.modal(person) !== undefined) return;
    this.#atForms.add(person);
    try {
      if (way === 'details') {
        if (gate.place === null) return;
        const where = { user: person, ...gate.place };
        await workspace.choose({ ...where, input: 'approvals.menu', value: DETAILS });
      } else {
        const review = await this.#find(gate, person, 'home', REVIEW);
        if (review === undefined) return;
        await workspace.click({ user: person, surface: 'home', actionId: review });
      }
      const inModal = await this.#find(gate, person, 'modal', TAKE_BACK);
      if (inModal !== undefined) {
        await this.#press(gate, person, { surface: 'modal', actionId: inModal });
        await scheduler.sleep(2_000);
      }
    } finally {
      this.#atForms.delete(person);
      if (workspace.modal(person)) await workspace.closeModal({ user: person, all: true });
    }
  }

  async #press(gate: Gate, person: string, spot: Spot): Promise<void> {
    const { sandbox, chance, chronicle, observer, now } = this.#needs;
    const isTwice = chance.often(0.15);
    const hasNoUrl = !('surface' in spot) && chance.often(0.05);
    const at = now();
    const delivery: Delivery = await sandbox.workspace.click({
      ...{ user: person, ...spot },
      ...(isTwice && { twice: chance.often(0.5) ? 'pressed' : 'delivered' }),
      ...(hasNoUrl && { hasResponseUrl: false }),
    });
    chronicle.note(person, `takes their approval of ${gate.name} back`, gate.name);
    for (const { acknowledged, ackMs, shown } of [
      delivery,
      ...(delivery.second ? [delivery.second] : []),
    ]) {
      const acknowledgedAt = acknowledged ? at + ackMs : null;
      observer.takeBacks.push({ person, approval: gate.name, at, acknowledgedAt, shown });
      chronicle.note(person, `sees ${shown ?? 'that taken'} (${gate.name})`, gate.name);
    }
  }

  /** The last answer that only they see and that has the button. */
  #answerWithButton(gate: Gate, person: string): Spot | undefined {
    const own = this.#needs.sandbox.workspace.ephemerals(person).flatMap((each) => {
      const actionId = buttonIn(each.blocks ?? [], gate, TAKE_BACK);
      return actionId === undefined ? [] : [{ channel: each.channel, ts: each.ts, actionId }];
    });
    return own.at(-1);
  }

  async #find(gate: Gate, person: string, surface: 'home' | 'modal', action: string) {
    const { sandbox, scheduler } = this.#needs;
    const { workspace } = sandbox;
    for (let look = 0; look < LOOKS; look += 1) {
      await scheduler.sleep(LOOK_MS);
      const view = surface === 'home' ? workspace.home(person) : workspace.modal(person);
      const found = buttonIn(view?.blocks ?? [], gate, action);
      if (found !== undefined) return found;
    }
    return undefined;
  }
}

const WAYS = ['answer', 'details', 'home'] as const;
type Way = (typeof WAYS)[number] | 'message';
type Spot = Pick<Press, 'actionId'> &
  ({ readonly channel: string; readonly ts: string } | { readonly surface: 'home' | 'modal' });

/** The id of the gate's button for this action; undefined: there is none. */
function buttonIn(blocks: readonly Block[], gate: Gate, action: string): string | undefined {
  // as: it searches blocks of any kind
  for (const { block_id, elements = [], accessory } of blocks as readonly Row[]) {
    const found = [...elements, ...(accessory === undefined ? [] : [accessory])].find(
      ({ action_id, value }) => action_id === action && String(value).endsWith(` ${gate.title}`),
    );
    if (found !== undefined) return block_id === undefined ? action : `${block_id} ${action}`;
  }
  return undefined;
}

interface Row {
  readonly block_id?: string;
  readonly elements?: readonly { readonly action_id?: string; readonly value?: string }[];
  readonly accessory?: { readonly action_id?: string; readonly value?: string };
}
