import type { Workspace } from '../../sandbox/workspace/workspace-handle.ts';
import type { Chance } from './chance.ts';
import type { Chronicle } from './chronicle.ts';
import type { Observer } from './observer.ts';
import type { Scheduler } from './scheduler.ts';
import { CREWS, GROUPS_OF_NEEDS } from './settings.ts';

interface CrewNeeds {
  readonly sandbox: { readonly workspace: Pick<Workspace, 'addUserGroup' | 'setUserGroup'> };
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly observer: Pick<Observer, 'memberships'>;
  readonly chronicle: Chronicle;
  readonly now: () => number;
}

/** A list this old may be used if Slack does not return one. */
const REMEMBERED_MS = 60_000;
/** The longest delay of an answer that is not late. */
const ON_ITS_WAY_MS = 400;

/** Groups that needs name: people leave them, and come back. Whether somebody can decide does not depend on them. */
export class Crews {
  readonly #needs: CrewNeeds;
  /** Who is out, by group. */
  readonly #out = new Map<string, Set<string>>();
  /** When somebody left a group last. */
  readonly #leftAt = new Map<string, number>();
  /** The last noted state, by person and group. */
  readonly #noted = new Map<string, 'in' | 'remembered' | 'out'>();
  #limitedUntil = Number.NEGATIVE_INFINITY;

  constructor(needs: CrewNeeds) {
    this.#needs = needs;
    for (const [group, members] of Object.entries(GROUPS_OF_NEEDS)) {
      this.#out.set(group, new Set());
      needs.sandbox.workspace.addUserGroup(group, group.toLowerCase(), members);
    }
    this.#noteAll();
  }

  /** Somebody leaves one of their groups for a while. */
  change(person: string | undefined = undefined): void {
    const { chance, scheduler } = this.#needs;
    const places = Object.entries(CREWS).flatMap(([group, members]) =>
      members.map((member) => ({ group, member })),
    );
    const drawn = chance.pick(
      places.filter(({ member }) => person === undefined || member === person),
    );
    if (drawn === undefined || this.#out.get(drawn.group)?.has(drawn.member)) return;
    const { group, member } = drawn;
    this.#move(group, member, false);
    scheduler.after(chance.whole(2_000, 40_000), () => this.#move(group, member, true));
  }

  /** For that long Slack is not asked for the members of a group: a list less than a minute old counts. */
  limited(restMs: number): void {
    const { now, scheduler } = this.#needs;
    this.#limitedUntil = Math.max(this.#limitedUntil, now() + ON_ITS_WAY_MS + restMs);
    this.#noteAll();
    scheduler.after(ON_ITS_WAY_MS + restMs + 1, () => this.#noteAll());
  }

  #move(group: string, person: string, isIn: boolean): void {
    const { chronicle, now, sandbox } = this.#needs;
    const out = this.#out.get(group);
    if (isIn) out?.delete(person);
    else {
      out?.add(person);
      this.#leftAt.set(`${person} ${group}`, now());
    }
    const users = (CREWS[group] ?? []).filter((each) => out?.has(each) !== true);
    sandbox.workspace.setUserGroup(group, { users });
    chronicle.noteForAll(person, `${isIn ? 'is back in' : 'leaves'} ${group}`);
    this.#noteAll();
  }

  #noteAll(): void {
    for (const [group, members] of Object.entries(GROUPS_OF_NEEDS)) {
      for (const person of members) this.#note(group, person);
    }
  }

  #note(group: string, person: string): void {
    const { now, observer } = this.#needs;
    const name = `${person} ${group}`;
    const leftAt = this.#leftAt.get(name) ?? Number.NEGATIVE_INFINITY;
    const mayBeRemembered = now() <= this.#limitedUntil && now() - leftAt <= REMEMBERED_MS;
    const isOut = this.#out.get(group)?.has(person) === true;
    const noted = isOut ? (mayBeRemembered ? 'remembered' : 'out') : 'in';
    if (this.#noted.get(name) === noted) return;
    this.#noted.set(name, noted);
    const doubt = noted === 'remembered' ? { mayBeOut: true as const } : {};
    observer.memberships.push({ at: now(), person, group, isIn: noted !== 'out', ...doubt });
  }
}
