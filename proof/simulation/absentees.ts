import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Delivery } from '../../sandbox/workspace/user-actions.ts';
import { isSurelyAway } from './absent.ts';
import type { Chance } from './chance.ts';
import type { Chronicle } from './chronicle.ts';
import { claimsOf } from './claims.ts';
import type { AbsenceSeen, Command, Version } from './evidence.ts';
import type { Gate, Observer } from './observer.ts';
import type { Scheduler } from './scheduler.ts';
import { ABSENTEES } from './settings.ts';

interface AbsenteeNeeds {
  readonly sandbox: Sandbox;
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly observer: Observer;
  readonly chronicle: Chronicle;
  readonly now: () => number;
  /** Somebody leaves the company, the service or a group. */
  readonly loses: (person: string) => void;
  /** Somebody becomes a guest for a while. */
  readonly becomesGuest: (person: string) => void;
  /** Their account is deactivated for a while. */
  readonly leavesService: (person: string) => void;
  /** They decide something that somebody else could decide. */
  readonly decides: (person: string) => void;
  /** They act in a scene. */
  readonly isKept: (person: string) => boolean;
}

/** Is away less often than others, and is named more often. */
const STAND_IN = 'U0ANA';
const MINUTE_MS = 60_000;
/** The process that reads the time is not the one that saves it, and the answer needs its time. */
const AROUND_MS = 1_500;
/** How long an answer that nobody has read may be in flight. */
const LATE_MS = 60_000;
/** Until then a command may be delivered again, and answered. */
const AGAIN_MS = 30_000;
/** How many times they try. */
const TRIES = 10;
/** How many times somebody checks for an answer. */
const LOOKS = 40;
const LOOK_MS = 250;
const BACK = 'approvals.away.back';
const DECLINE = 'approvals.away.decline';
const NAMED = /^You stand in for <[^|>]*\/team\/(\w+)\|.* named you as substitute/;

/**
 * People who set themselves away, three in ten at any time: with or without a substitute, for longer or shorter than
 * they said. They name somebody else, and come back by a command, by the button of an answer, or because the time is
 * up. Some substitutes decline, leave, or go away themselves.
 */
export class Absentees {
  readonly #needs: AbsenteeNeeds;
  /** Commands and presses whose result nobody knows yet. */
  underWay = 0;
  #isOver = false;
  readonly #isBusy = new Set<string>();
  /** Commands that changed nothing, as their people read. */
  readonly #refused = new Set<Refused>();
  /** What may hold if a command without an answer arrives. */
  readonly #unanswered = new Set<AbsenceSeen>();

  constructor(needs: AbsenteeNeeds) {
    this.#needs = needs;
    const { chance, scheduler, observer } = needs;
    observer.onToldElse = (person, text) => this.#told(person, text);
    for (const person of ABSENTEES) {
      const isFirst = person !== STAND_IN && chance.often(0.5);
      const inMs = isFirst ? chance.whole(300, 3_000) : this.#presentMs(person);
      scheduler.after(inMs, () => this.#leave(person));
    }
  }

  /** Nobody goes away any more. */
  end(): void {
    this.#isOver = true;
  }

  #presentMs(person: string): number {
    const { chance } = this.#needs;
    return chance.wait(8_000, 50_000, 150_000) * (person === STAND_IN ? 2 : 1);
  }

  #leave(person: string): void {
    if (this.#isOver) return;
    const { chance, scheduler, isKept } = this.#needs;
    if (isKept(person)) {
      scheduler.after(chance.whole(5_000, 20_000), () => this.#leave(person));
      return;
    }
    const minutes = chance.often(0.7) ? 1 : chance.whole(2, 3);
    const isNamed = chance.often(0.7);
    this.#carryOut(person, () =>
      this.#untilDone(() => this.#set(person, isNamed ? this.#another(person) : '', minutes)),
    );
    if (chance.often(0.2))
      scheduler.after(chance.whole(5_000, 40_000), () => {
        this.#carryOut(person, () =>
          this.#untilDone(() => this.#set(person, this.#another(person), minutes)),
        );
      });
    const awayMs = minutes * MINUTE_MS;
    const endsByItself = chance.often(0.35);
    const backMs = endsByItself ? awayMs : chance.whole(15_000, awayMs);
    scheduler.after(backMs, () => {
      if (!endsByItself)
        this.#carryOut(person, () => this.#untilDone(() => this.#comeBack(person)));
      scheduler.after(this.#presentMs(person), () => this.#leave(person));
    });
  }

  #another(person: string): string {
    const { chance, observer, now } = this.#needs;
    const { absences, lapses } = observer;
    const isThere = (each: string) =>
      each !== person && !isSurelyAway({ absences, lapses }, each, now());
    const there = ABSENTEES.filter(isThere);
    if (there.includes(STAND_IN) && chance.often(0.5)) return STAND_IN;
    const other = chance.pick(there.length > 0 && chance.often(0.95) ? there : ABSENTEES);
    return other ?? person;
  }

  /** One action after the other, so that it is known what an answer is about. */
  #carryOut(person: string, act: () => Promise<void>): void {
    if (this.#isBusy.has(person)) return;
    const { chronicle } = this.#needs;
    this.#isBusy.add(person);
    this.underWay += 1;
    act()
      // The button or the person is gone.
      .catch((error: unknown) => chronicle.note(person, `gives up: ${String(error)}`))
      .finally(() => {
        this.underWay -= 1;
        this.#isBusy.delete(person);
      });
  }

  /** People who read that nothing was changed, or read nothing, try again. */
  async #untilDone(act: () => Promise<boolean>): Promise<void> {
    const { chance, scheduler } = this.#needs;
    const isDone = () => act().catch(() => false);
    for (let tries = 0; tries < TRIES && !(await isDone()); tries += 1) {
      await scheduler.sleep(chance.whole(1_000, 8_000));
    }
  }

  /** Returns whether they read that it is done. `named`: empty keeps the current substitute. */
  async #set(person: string, named: string, minutes: number): Promise<boolean> {
    const { observer, now } = this.#needs;
    const at = now();
    const forMs = minutes * MINUTE_MS;
    const before = this.#doubted(person, at, at + forMs + LATE_MS);
    const made = [null, ...(named === '' ? [] : [named])].map((substitute) => {
      const span: Mutable<AbsenceSeen> = {
        person,
        substitute,
        from: at,
        to: at + forMs + LATE_MS,
        surelyFrom: null,
        surelyTo: at + forMs - AROUND_MS,
      };
      observer.absences.push(span);
      return span;
    });
    const mention = named === '' ? '' : ` <@${named}>`;
    const text = `/approvals away in ${minutes} min${mention}`;
    for (const span of made) this.#unanswered.add(span);
    const answer = await this.#type(person, text, at);
    if (answer === undefined) return false;
    const readAt = now();
    const isSet = SET.test(answer);
    const isUnknown = /^It is not known/.test(answer);
    if (isUnknown) return false;
    for (const span of made) this.#unanswered.delete(span);
    const substitute = substituteIn(answer);
    for (const span of isSet ? before : made) span.to = Math.min(span.to, isSet ? readAt : at);
    if (!isSet) {
      this.#refused.add({ person, at, forMs, made });
      return false;
    }
    for (const span of made) {
      const isSo = span.substitute === null || span.substitute === substitute;
      span.to = isSo ? readAt + forMs + AROUND_MS : readAt;
      if (isSo) span.surelyFrom = readAt;
    }
    // The current substitute stays.
    if (substitute !== null && named === '') {
      const to = readAt + forMs + AROUND_MS;
      const surelyTo = at + forMs - AROUND_MS;
      observer.absences.push({ person, substitute, from: at, to, surelyFrom: readAt, surelyTo });
    }
    return true;
  }

  /** Somebody sets themselves away, with that substitute, once they are free to; `then`: they read that it is done. */
  names(giver: string, substitute: string, then: () => void, looks = LOOKS): void {
    if (this.#isBusy.has(giver) && looks > 0) {
      this.#needs.scheduler.after(LOOK_MS, () => this.names(giver, substitute, then, looks - 1));
      return;
    }
    this.#carryOut(giver, () =>
      this.#untilDone(async () => {
        const isSet = await this.#set(giver, substitute, 1);
        if (isSet) then();
        return isSet;
      }),
    );
  }

  /** `then`: they read that they are not away. */
  comesBack(person: string, then: () => void = () => {}): void {
    this.#carryOut(person, () =>
      this.#untilDone(async () => {
        const isBack = await this.#comeBack(person);
        if (isBack) then();
        return isBack;
      }),
    );
  }

  /** A substitute declines, once they were told that they are one; `then`: they read that it is done. */
  declines(person: string, giver: string, then: () => void): void {
    this.#carryOut(person, () =>
      this.#untilDone(async () => {
        const isDone = await this.#decline(person, giver);
        if (isDone) then();
        return isDone;
      }),
    );
  }

  /** Somebody in whose place it was approved comes back before the hold is over, or cannot decide any more. */
  held({ holdMs = 0 }: Gate, version: Version): void {
    const { chance, scheduler, leavesService } = this.#needs;
    for (const { giver } of claimsOf(version).inPlace) {
      const isBack = chance.often(0.5);
      const ms = chance.whole(0, holdMs / 2);
      if (!isBack) {
        scheduler.after(ms, () => leavesService(giver));
        continue;
      }
      scheduler.after(ms, () =>
        this.#carryOut(giver, () => this.#untilDone(() => this.#comeBack(giver))),
      );
    }
  }

  async #comeBack(person: string): Promise<boolean> {
    const { sandbox, chance, now } = this.#needs;
    const { workspace } = sandbox;
    const button = workspace
      .ephemerals(person)
      .findLast(({ blocks }) => JSON.stringify(blocks ?? []).includes(BACK));
    const at = now();
    const before = this.#doubted(person, at);
    const answer =
      button !== undefined && chance.often(0.4)
        ? await this.#press(person, { channel: button.channel, ts: button.ts }, BACK, at)
        : await this.#type(person, '/approvals back', at);
    if (answer === undefined || !/^\*You are back|^You are not away/.test(answer)) return false;
    for (const span of before) span.to = Math.min(span.to, now());
    return true;
  }

  /**
   * Slack delivered the command twice, and the second delivery was not refused. If its answer could not be sent there,
   * it comes as a message, which does not say what it answers.
   */
  #readAgain(reader: string, text: string): void {
    const { observer, now } = this.#needs;
    for (const refused of this.#refused) {
      const { person, at, forMs, made } = refused;
      if (person !== reader) continue;
      const isOfIt = SET.test(text) && now() <= at + AGAIN_MS;
      const answer = isOfIt ? text : (observer.answerTo(person, at) ?? '');
      if (!SET.test(answer)) continue;
      this.#refused.delete(refused);
      const named = [null, substituteIn(answer)];
      for (const span of made)
        if (named.includes(span.substitute)) span.to = now() + forMs + AROUND_MS;
    }
  }

  /** A named substitute decides something soon; some decline, or leave; some givers leave, too. */
  #told(person: string, text: string): void {
    this.#readAgain(person, text);
    const giver = NAMED.exec(text)?.[1];
    if (giver === undefined || this.#isOver) return;
    const { chance, scheduler, loses, decides, becomesGuest, isKept } = this.#needs;
    if (isKept(person) && isKept(giver)) return;
    const later = (leastMs: number, mostMs: number, act: () => void) =>
      scheduler.after(chance.whole(leastMs, mostMs), act);
    for (let presses = chance.whole(1, 4); presses > 0; presses -= 1)
      later(300, 40_000, () => decides(person));
    if (chance.often(0.4)) {
      later(500, 15_000, () => {
        this.#carryOut(person, () => this.#untilDone(() => this.#decline(person)));
        for (let presses = 3; presses > 0; presses -= 1)
          later(1_500, 20_000, () => decides(person));
      });
    }
    if (chance.often(0.12)) later(0, 20_000, () => loses(person));
    if (chance.often(0.25)) {
      later(0, 8_000, () => {
        becomesGuest(person);
        for (let presses = 3; presses > 0; presses -= 1) later(500, 12_000, () => decides(person));
      });
    }
    if (chance.often(0.35)) {
      later(0, 20_000, () => {
        loses(giver);
        for (let presses = 2; presses > 0; presses -= 1) later(500, 12_000, () => decides(person));
      });
    }
    if (chance.often(0.05))
      later(1_000, 20_000, () =>
        this.#carryOut(person, () => this.#untilDone(() => this.#set(person, '', 1))),
      );
  }

  /** In the newest message that has the button; `wanted`: that for this giver, which may be still to come. */
  async #decline(person: string, wanted?: string): Promise<boolean> {
    const { sandbox, observer, now } = this.#needs;
    const { workspace } = sandbox;
    const message = workspace.directMessages(person).findLast(({ blocks }) => {
      const said = JSON.stringify(blocks ?? []);
      return said.includes(DECLINE) && said.includes(`"value":"${wanted ?? ''}`);
    });
    const giver = /"value":"(\w+)"/.exec(JSON.stringify(message?.blocks ?? []))?.[1];
    if (message === undefined || giver === undefined) return wanted === undefined;
    const at = now();
    const before = observer.absences.filter(
      (each) => each.person === giver && each.substitute === person && each.to >= at,
    );
    for (const span of before) span.surelyTo = Math.min(span.surelyTo, at);
    const place = { channel: directOf(person), ts: message.ts };
    const answer = await this.#press(person, place, DECLINE, at);
    if (answer === undefined || !/^\*You declined|no longer stand in for/.test(answer))
      return false;
    const readAt = now();
    // A command without an answer may still arrive, and name them once more.
    for (const span of before) if (!this.#unanswered.has(span)) span.to = Math.min(span.to, readAt);
    return true;
  }

  /** What may be true of their absence, and is no longer certain. */
  #doubted(person: string, at: number, to = 0): Mutable<AbsenceSeen>[] {
    const open = this.#needs.observer.absences.filter(
      (each) => each.person === person && each.to >= at,
    );
    for (const span of open) {
      span.surelyTo = Math.min(span.surelyTo, at);
      span.to = Math.max(span.to, to);
    }
    return open;
  }

  /** What they read then; undefined: nothing that is certainly an answer to it. */
  async #type(person: string, text: string, at: number): Promise<string | undefined> {
    const { sandbox, observer, chronicle } = this.#needs;
    const channel = directOf(person);
    const typed: Mutable<Command> = { person, text, at, acknowledged: false, answer: null };
    observer.typed(typed);
    const typing = sandbox.workspace.command({ user: person, channel, text });
    const delivery = await typing.catch((error: unknown) => {
      typed.answer = 'They are not in Slack any more';
      throw error;
    });
    typed.acknowledged = delivery.acknowledged;
    typed.answer ??= delivery.shown ?? (delivery.body === '' ? null : delivery.body);
    chronicle.noteForAll(person, `types ${text}, and sees ${delivery.shown ?? 'it taken'}`);
    return this.#answer(person, at, delivery);
  }

  async #press(
    person: string,
    place: { readonly channel: string; readonly ts: string },
    actionId: string,
    at: number,
  ): Promise<string | undefined> {
    const { sandbox, chronicle } = this.#needs;
    const delivery = await sandbox.workspace.click({ user: person, ...place, actionId });
    chronicle.noteForAll(person, `presses ${actionId}, and sees ${delivery.shown ?? 'it taken'}`);
    return this.#answer(person, at, delivery);
  }

  async #answer(person: string, at: number, delivery: Delivery): Promise<string | undefined> {
    const { observer, scheduler, chronicle } = this.#needs;
    if (!delivery.acknowledged) return undefined;
    for (let look = 0; look < LOOKS; look += 1) {
      const answer = observer.answerTo(person, at);
      if (answer !== undefined) {
        chronicle.noteForAll(person, `reads “${answer}”`);
        return answer;
      }
      await scheduler.sleep(LOOK_MS);
    }
    return undefined;
  }
}

/** A command to be away, and what would hold if it had an effect. */
interface Refused {
  readonly person: string;
  readonly at: number;
  readonly forMs: number;
  readonly made: readonly Mutable<AbsenceSeen>[];
}

const SET = /^\*You are away until/;

function substituteIn(answer: string): string | null {
  return /<@(\w+)> stands in for you/.exec(answer)?.[1] ?? null;
}

/** Their direct messages with Gatepost. */
function directOf(person: string): string {
  return `D${person.slice(1)}`;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
