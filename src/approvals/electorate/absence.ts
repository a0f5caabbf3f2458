/**
 * Absences, one record for each person: until an absence ends the person is not mentioned, and a substitute can decide
 * in their place on routes that allow it. Its signals (this file), its steps (`absence-flow.ts`), what people type
 * (`read-away.ts`, `away-command.ts`) and read (`away-words.ts`).
 */

import { createHash } from 'node:crypto';
import type { Applied } from '../../core/engine/flow.ts';
import { withSeen } from '../../core/engine/put-record.ts';
import type { Post } from '../../core/posts/post.ts';
import { lastingIdsOf, type PersonIds } from '../../core/slack/slack-person.ts';
import type { NewAuditEntry, NewRecord, Signal, Store } from '../../core/store/store.ts';
import { type ActedAt, type Acts, isEarlier, withAct } from '../acted-at.ts';

export const ABSENCE_KIND = 'absence';

/** Ids of one person, starting with the one that is valid in every workspace. */
export type LastingIds = readonly [string, ...string[]];

export interface Absence {
  readonly v: 1;
  readonly ids: LastingIds;
  readonly since: number;
  /** Exclusive, in milliseconds. */
  readonly until: number;
  readonly substitute?: Substitute;
  /** When it ended, and left the lists: the person is back, or the time is over. */
  readonly endedAt?: number;
  /** The last change that not all open requests were told of; absent: none. Unique times identify changes. */
  readonly changedAt?: number;
  readonly lastChangeAt: number;
  /** How far they have been told. */
  readonly told?: Told;
  /** When to continue after the store was unavailable. */
  readonly notBefore?: number;
  /** Direct messages still to be sent, oldest first. */
  readonly notices: readonly Notice[];
  /** How many notices there have been, for their names. */
  readonly count: number;
  /** The person was told that their substitute is away until then. */
  readonly tooAway?: number;
  /** Ids of the last signals, for callers that wait for theirs; absent: none. */
  readonly seen?: readonly string[];
  /** What each did last: an earlier command or press that was held back changes nothing. */
  readonly acts?: Acts;
}

export interface Told {
  /** Routes that are left; in the first one, continue behind `after`. */
  readonly routes: readonly string[];
  /** In whose places the person may be mentioned; absent: all requests are told. */
  readonly ids?: readonly string[];
  readonly after?: string;
  /** Requests in an unavailable part of the store were missed. */
  readonly hasMissed?: true;
}

export interface Substitute {
  readonly ids: LastingIds;
  readonly declinedAt?: number;
  /** The direct message to the substitute was sent. */
  readonly isTold?: true;
}

/**
 * named: to the substitute. back, replaced: to a former substitute. declined: to the absent person. away: to the absent
 * person, whose substitute is away too.
 */
export interface Notice {
  readonly kind: 'named' | 'back' | 'replaced' | 'declined' | 'away';
  readonly to: string;
  /** The other person. */
  readonly of: string;
  readonly until: number;
  readonly at: number;
  readonly post: Post;
}

/** `by`: Slack user id of who acts. `acted`: absent for a command in Socket Mode, which counts as it arrives. */
interface Acting {
  readonly by: string;
  readonly acted?: ActedAt;
}

/** Signals to an absence. */
export type AbsenceSignal =
  /** Without a substitute in the signal, the present one stays. */
  | (Acting & {
      readonly kind: 'set';
      readonly until: number;
      readonly substitute?: LastingIds;
    })
  | (Acting & { readonly kind: 'back' })
  /** `ids`: the substitute's, who may have been replaced since. */
  | (Acting & { readonly kind: 'decline'; readonly ids: readonly string[] })
  /** The substitute is away too. */
  | { readonly kind: 'substitute-away'; readonly ids: LastingIds; readonly until: number };

/** The record for a person who had none. `id`: of the command. */
export function absenceRecord(
  person: PersonIds,
  id: string,
  change: AbsenceSignal & { readonly kind: 'set' },
  at: number,
): Pick<NewRecord, 'kind' | 'data' | 'uniqueKey' | 'lists' | 'audit'> {
  const ids = lastingIdsOf(person);
  const fresh: Absence = {
    ...{ v: 1, ids, since: at, until: change.until, notices: [], count: 0 },
    ...{ changedAt: at, lastChangeAt: at, seen: withSeen([], id) },
  };
  const absence = noted(withSubstitute(fresh, change, at), change);
  return {
    kind: ABSENCE_KIND,
    data: encodeAbsence(absence),
    uniqueKey: absenceKeyOf(person),
    lists: listsOfAbsence(absence),
    audit: [setEntry(absence, change)],
  };
}

/** Whether its person has changed this absence after that. */
export function isOvertaken({ acts }: Pick<Absence, 'acts'>, { by, acted }: Acting): boolean {
  const before = acts?.[by];
  return acted !== undefined && before !== undefined && isEarlier(acted, before);
}

function noted(absence: Absence, { by, acted }: Acting): Absence {
  return acted === undefined ? absence : { ...absence, acts: withAct(absence.acts, by, acted) };
}

/** Applies a signal. One that was applied before, changes nothing, or comes too late leaves the rest as it is. */
export function receiveAbsence(
  known: Absence,
  { id, at }: Pick<Signal, 'id' | 'at'>,
  body: AbsenceSignal,
): Applied<Absence> {
  if (known.seen?.includes(id)) return { data: known };
  const isAct = body.kind !== 'substitute-away';
  const before = isAct ? { ...known, seen: withSeen(known.seen, id) } : known;
  if (isAct && isOvertaken(before, body)) return { data: before };
  const absence = isAct ? noted(before, body) : before;
  switch (body.kind) {
    case 'set': {
      const next = withSet(absence, body, at);
      return next === absence ? { data: absence } : { data: next, audit: [setEntry(next, body)] };
    }
    case 'back': {
      if (isEnded(absence, at)) return { data: absence };
      const ended = withoutSubstitute(changed({ ...absence, endedAt: at }, at), 'back', at);
      return { data: ended, audit: [entryOf('approvals.back', body.by, {})] };
    }
    case 'decline': {
      const { substitute, ids } = absence;
      const isTheirs = substituteIn(absence)?.some((id) => body.ids.includes(id)) === true;
      if (substitute === undefined || !isTheirs || isEnded(absence, at)) return { data: absence };
      const declined = changed({ ...absence, substitute: { ...substitute, declinedAt: at } }, at);
      const of = shownId(substitute.ids);
      const noted = withNotice(
        withoutNamed(declined),
        { kind: 'declined', to: shownId(ids), of },
        at,
      );
      const facts = { of: ids[0] };
      return { data: noted, audit: [entryOf('approvals.substitute-declined', body.by, facts)] };
    }
    case 'substitute-away': {
      const isTheirs = substituteIn(absence)?.some((id) => body.ids.includes(id)) === true;
      const { until } = body;
      if (!isTheirs || isEnded(absence, at) || absence.tooAway === until) return { data: absence };
      const [to, of] = [shownId(absence.ids), shownId(body.ids)];
      const notice = { kind: 'away', to, of, until } as const;
      return { data: withNotice({ ...absence, tooAway: until }, notice, at) };
    }
  }
}

/** The absence after its end. */
export function endedAbsence(absence: Absence, now: number): Absence {
  const { substitute: _, ...ended } = changed({ ...absence, endedAt: now }, now);
  // Other unsent notices are no longer true.
  return { ...ended, notices: absence.notices.filter(({ kind }) => OF_THE_END.has(kind)) };
}

const OF_THE_END: ReadonlySet<Notice['kind']> = new Set(['back', 'replaced']);

/** The id shown to people and used for messages: the one of this workspace. */
export function shownId(ids: LastingIds): string {
  return ids.at(-1) ?? ids[0];
}

/** It is over, even if open requests were not told yet. */
export function isEnded({ endedAt, until }: Absence, at: number): boolean {
  return endedAt !== undefined || at >= until;
}

/** The same object if nothing changes. */
function withSet(
  absence: Absence,
  change: AbsenceSignal & { readonly kind: 'set' },
  at: number,
): Absence {
  const { substitute, until } = absence;
  if (isEnded(absence, at)) {
    const { endedAt, substitute: _, tooAway: __, ...before } = absence;
    const begun = changed({ ...before, since: at, until: change.until }, at);
    return withSubstitute(begun, change, at);
  }
  const isSame =
    substitute?.declinedAt === undefined && substitute?.ids[0] === change.substitute?.[0];
  const keeps = change.substitute === undefined || isSame;
  if (keeps && until === change.until) return absence;
  const next = changed({ ...absence, until: change.until }, at);
  if (keeps && substituteIn(next) === undefined) return next;
  const isKept = keeps && substitute !== undefined;
  if (isKept) return withNamed(withoutNamed(next), substitute.ids, at);
  return withSubstitute(withoutSubstitute(next, 'replaced', at), change, at);
}

function withSubstitute(
  absence: Absence,
  { substitute: ids }: AbsenceSignal & { readonly kind: 'set' },
  at: number,
): Absence {
  if (ids === undefined) return absence;
  return withNamed({ ...absence, substitute: { ids } }, ids, at);
}

function withNamed(absence: Absence, ids: LastingIds, at: number): Absence {
  const [to, of] = [shownId(ids), shownId(absence.ids)];
  return withNotice(absence, { kind: 'named', to, of }, at);
}

/** A former substitute is told, if they may have been told that they were one. */
function withoutSubstitute(absence: Absence, kind: 'back' | 'replaced', at: number): Absence {
  const { substitute, tooAway: _, ...rest } = absence;
  const left = withoutNamed(rest);
  if (substitute === undefined || substitute.declinedAt !== undefined) return left;
  const isTried = absence.notices.some(
    (notice) => notice.kind === 'named' && notice.post.attempt !== undefined,
  );
  if (substitute.isTold !== true && !isTried) return left;
  return withNotice(left, { kind, to: shownId(substitute.ids), of: shownId(absence.ids) }, at);
}

/** Drops unsent notices about a substitute. */
function withoutNamed(absence: Absence): Absence {
  const isLeft = ({ kind }: Notice) => kind !== 'named' && kind !== 'away' && kind !== 'declined';
  return { ...absence, notices: absence.notices.filter(isLeft) };
}

function withNotice(
  absence: Absence,
  notice: Pick<Notice, 'kind' | 'to' | 'of'> & Partial<Pick<Notice, 'until'>>,
  at: number,
): Absence {
  const { notices, until } = absence;
  const count = absence.count + 1;
  // The count may go back with the store.
  const post = { name: `${notice.kind}-${at}-${count}` };
  return { ...absence, count, notices: [...notices, { until, ...notice, at, post }] };
}

/** Open requests will be told, starting over. */
function changed(absence: Absence, at: number): Absence {
  const { told, notBefore, lastChangeAt, ...rest } = absence;
  const changedAt = Math.max(at, lastChangeAt + 1);
  return { ...rest, changedAt, lastChangeAt: changedAt };
}

/** The substitute was told. */
export function withNamedTold(absence: Absence, { kind, to }: Notice): Absence {
  const { substitute } = absence;
  if (kind !== 'named' || !substitute?.ids.includes(to)) return absence;
  return { ...absence, substitute: { ...substitute, isTold: true } };
}

function setEntry(
  { until, substitute }: Absence,
  { by }: AbsenceSignal & { readonly kind: 'set' },
): NewAuditEntry {
  const facts = {
    until: new Date(until).toISOString(),
    substitute: substitute === undefined ? null : substitute.ids[0],
  };
  return entryOf('approvals.away', by, facts);
}

function entryOf(action: string, actor: string, facts: NewAuditEntry['facts']): NewAuditEntry {
  return { action, record: null, actor, facts };
}

/** The list of all absences. */
const AWAY = 'away';

function standsIn(user: string): string {
  return `stands-in:${user}`;
}

export function listsOfAbsence(absence: Absence): readonly string[] {
  if (absence.endedAt !== undefined) return [];
  const substitutes = substituteIn(absence) ?? [];
  return [AWAY, ...substitutes.map(standsIn)];
}

/** Who decides in their place; undefined: nobody. */
export function substituteIn({
  substitute,
}: Pick<Absence, 'substitute'>): readonly string[] | undefined {
  return substitute === undefined || substitute.declinedAt !== undefined
    ? undefined
    : substitute.ids;
}

/** The unique key of a person's absence: the same for all of their accounts. */
export function absenceKeyOf(person: PersonIds): string {
  return absenceKeyOfId(lastingIdsOf(person)[0]);
}

/** `lasting`: the first of `Absence.ids`. */
export function absenceKeyOfId(lasting: string): string {
  return createHash('sha256').update(`${ABSENCE_KIND}\0${lasting}`).digest('base64url');
}

export function encodeAbsence(absence: Absence): string {
  return JSON.stringify(absence);
}

export function decodeAbsence(data: string): Absence {
  // as: only `encodeAbsence` writes it
  return JSON.parse(data) as Absence;
}

type Reader = Pick<Store, 'list' | 'now'>;

/**
 * Who is away now. A change signals many requests, which all read it: those that come during a read share the next one,
 * which begins after they asked. Throws StoreError.
 */
export async function absencesNow(store: Reader): Promise<readonly Absence[]> {
  const reads = READS.get(store) ?? {};
  READS.set(store, reads);
  if (reads.current === undefined) return begin(store, reads);
  reads.next ??= reads.current.then(
    () => begin(store, reads),
    () => begin(store, reads),
  );
  return reads.next;
}

function begin(store: Reader, reads: Reads): Promise<readonly Absence[]> {
  const { next } = reads;
  const read = present(store, [AWAY]);
  const ended = () => {
    if (reads.current === read) delete reads.current;
  };
  if (next !== undefined) delete reads.next;
  reads.current = read;
  read.then(ended, ended);
  return read;
}

interface Reads {
  current?: Promise<readonly Absence[]>;
  /** Begins once `current` has ended. */
  next?: Promise<readonly Absence[]>;
}

const READS = new WeakMap<Reader, Reads>();

/** The absences that concern a person. */
export interface AwayOf {
  readonly own: Absence | undefined;
  /** For whom they decide. */
  readonly given: readonly Absence[];
}

/** `ids`: all ids of the person. */
export function awayOf(absences: readonly Absence[], ids: readonly string[]): AwayOf {
  const isTheirs = (id: string) => ids.includes(id);
  return {
    own: absences.find((absence) => absence.ids.some(isTheirs)),
    given: absences.filter((absence) => substituteIn(absence)?.some(isTheirs)),
  };
}

/** For whom a person decides now, by any of their ids. Throws StoreError. */
export async function absencesCoveredBy(
  store: Reader,
  person: PersonIds,
): Promise<readonly Absence[]> {
  const ids = lastingIdsOf(person);
  const given = await present(store, ids.map(standsIn));
  return awayOf(given, ids).given;
}

const PIECE = 200;

async function present(store: Reader, lists: readonly string[]): Promise<readonly Absence[]> {
  const found = new Map<string, Absence>();
  let after: string | null | undefined;
  while (after !== null) {
    const { entries, next } = await store.list(lists, { limit: PIECE, after });
    for (const { record } of entries) {
      if (record.kind === ABSENCE_KIND) found.set(record.id, decodeAbsence(record.data));
    }
    after = next;
  }
  const now = store.now();
  return [...found.values()].filter(({ until }) => now < until);
}
