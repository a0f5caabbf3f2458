import type { Absentees } from './absentees.ts';
import type { Automations } from './automations.ts';
import type { Chance } from './chance.ts';
import type { Closings } from './closings.ts';
import type { Deletions } from './deletions.ts';
import type { Door } from './door.ts';
import type { Action } from './evidence.ts';
import type { Holds } from './holds.ts';
import type { Mishaps } from './mishaps.ts';
import type { Nemesis } from './nemesis.ts';
import type { Gate } from './observer.ts';
import type { People } from './people.ts';
import type { Quirks } from './quirks.ts';
import type { Reloads } from './reloads.ts';
import type { Stage } from './scenes/scene.ts';
import type { Scheduler } from './scheduler.ts';
import type { SecondThoughts } from './second-thoughts.ts';
import type { Wordless } from './wordless.ts';

/** null: not in this world. */
export interface StageNeeds {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly people: People;
  readonly secondThoughts: SecondThoughts;
  readonly holds: Holds;
  readonly automations: Automations;
  readonly deletions: Deletions;
  readonly wordless: Wordless;
  readonly mishaps: Mishaps;
  readonly reloads: Reloads;
  readonly door: Pick<Door, 'holdUp'>;
  readonly nemesis: Nemesis | null;
  readonly quirks: Quirks | null;
  readonly absentees: Absentees | null;
  readonly closings: Closings | null;
  /** Whoever surely stands in for them now. */
  readonly standsInFor: (giver: string) => string | undefined;
  readonly restOfFaults: (forMs: number) => void;
  readonly askAgain: (gate: Gate) => void;
}

/** How long clocks are set forward. */
const CLOCKS_MS = 5_000;

/** @param leftMs until the end of its hold, as its message says */
export function stageOf(gate: Gate, leftMs: number, needs: StageNeeds): Stage {
  const { scheduler, chance, people, secondThoughts, holds, automations, mishaps } = needs;
  const { deletions, wordless, reloads, door, nemesis, quirks, absentees, closings } = needs;
  const { standsInFor, restOfFaults, askAgain } = needs;
  const at = (act: (person: string) => void) => (person: string, ms: number) =>
    void scheduler.after(ms, () => act(person));
  const then = (act: () => void) => (ms: number) => void scheduler.after(ms, act);
  const late = (action: Action) => (person: string, ms: number, forMs: number) =>
    void scheduler.after(ms, () => {
      door.holdUp(person, forMs, gate.place?.ts);
      people.presses(gate, person, action);
    });
  return {
    chance,
    leftMs,
    approve: at((person) => people.presses(gate, person, 'approve')),
    reject: at((person) => people.presses(gate, person, 'reject')),
    approveLate: late('approve'),
    rejectLate: late('reject'),
    approveInForm: at((person) => people.decideSeveralOf(gate, person, true)),
    approveFor: at((giver) => {
      const person = standsInFor(giver);
      if (person !== undefined) people.presses(gate, person, 'approve');
    }),
    undo: at((person) => secondThoughts.undo(gate, person)),
    takeBack: at((person) => secondThoughts.takeBack(gate, person)),
    undoAtLast: (person) => mishaps.willBeUndone(gate, person),
    review: at((person) => holds.review(gate, person)),
    opensHome: at((person) => people.opensHome(person)),
    becomesGuest: at((person) => people.becomesGuest(person)),
    leavesService: at((person) => people.leavesService(person)),
    names: (giver, substitute, ms, once = () => {}) =>
      void scheduler.after(ms, () => absentees?.names(giver, substitute, once)),
    comesBack: (person, ms, once) =>
      void scheduler.after(ms, () => absentees?.comesBack(person, once)),
    declines: (substitute, giver, once) => absentees?.declines(substitute, giver, once),
    closes: then(() => closings?.closes(gate.route)),
    closesBriefly: (ms, once) =>
      void scheduler.after(ms, () => closings?.closesBriefly(gate.route, once)),
    staysClosed: then(() => closings?.staysClosed(gate.route)),
    rulesChange: then(() => reloads.change()),
    withdraw: then(() => automations.withdraw(gate)),
    withdrawnWhileStill: () => mishaps.willBeWithdrawnThen(gate),
    askAgain: then(() => askAgain(gate)),
    decidedElsewhere: then(() => automations.decideElsewhere(gate, 'approve')),
    describedLater: () => wordless.willBeDescribed(gate),
    deleted: then(() => {
      deletions.now(gate);
      mishaps.willLosePost(gate);
    }),
    trouble: (name, first) => mishaps.willHave(gate, name, first),
    unread: () => mishaps.willBeUnread(gate),
    untold: () => mishaps.willBeUntold(gate),
    heldUpdate: () => mishaps.willHoldUpdate(gate),
    heldWait: () => mishaps.willHoldWait(gate),
    heldLook: () => mishaps.willHoldLook(gate),
    forgotten: then(() => mishaps.willBeForgotten(gate)),
    forgottenSinceSent: () => mishaps.willBeForgottenSinceSent(gate),
    groupHidden: (group, forMs) => quirks?.hideGroup(group, forMs),
    accountHidden: (person, ms, forMs) =>
      void scheduler.after(ms, () => quirks?.hideAccount(person, forMs)),
    storeAway: (ms, forMs) => void scheduler.after(ms, () => nemesis?.takeAway(forMs)),
    clocksForward: (ms, byMs) =>
      void scheduler.after(ms, () => nemesis?.setForward(byMs, CLOCKS_MS)),
    restOfFaults,
  };
}
