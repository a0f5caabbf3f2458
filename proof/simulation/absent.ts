import type { AbsenceSeen, AuditSeen, Evidence } from './evidence.ts';

/**
 * Who is away and who substitutes for them, according to what people typed, pressed and read: what is possible, and
 * what is certain.
 */

type Run = Pick<Evidence, 'absences' | 'lapses'>;

/** What the log says about something; null: it was not read. */
type Logged = Pick<Evidence, 'audit'>;

/** Longer than any absence: a store that went back may have forgotten its end. */
const LONGEST_MS = 600_000;

function spansOf({ absences = [] }: Run, person: string): readonly AbsenceSeen[] {
  return absences.filter((each) => each.person === person && each.substitute === null);
}

function standInSpans({ absences = [] }: Run, giver: string, substitute: string) {
  return absences.filter((each) => each.person === giver && each.substitute === substitute);
}

/** It is possible at some moment in between. */
function mayHold({ lapses }: Run, seen: AbsenceSeen, since: number, until: number) {
  const { from, to, surelyTo } = seen;
  // It ended before the answer was read.
  const isReturned = lapses.some((lapse) => lapse.from <= to && surelyTo <= lapse.at);
  return from <= until && (isReturned ? to + LONGEST_MS : to) >= since;
}

/** It was read before, not forgotten, and nothing done since could have ended it. */
function surelyHolds({ lapses }: Run, seen: AbsenceSeen, at: number): boolean {
  const { from, surelyFrom, surelyTo } = seen;
  if (surelyFrom === null || surelyFrom > at || surelyTo < at) return false;
  return !lapses.some((lapse) => lapse.from <= surelyFrom && lapse.at >= from);
}

export function isSurelyAway(run: Run, person: string, at: number): boolean {
  return spansOf(run, person).some((each) => surelyHolds(run, each, at));
}

/** At every moment of the span. */
export function wasSurelyAway(run: Run, person: string, from: number, until: number): boolean {
  return spansOf(run, person).some(
    (each) => surelyHolds(run, each, from) && surelyHolds(run, each, until),
  );
}

export function mayBeAway(run: Run, person: string, at: number): boolean {
  return spansOf(run, person).some((each) => mayHold(run, each, at, at));
}

/** Whether that person may have named somebody as substitute at some moment in between. */
export function mayStandIn(
  run: Run,
  substitute: string,
  giver: string,
  from: number,
  until: number,
): boolean {
  return standInSpans(run, giver, substitute).some((each) => mayHold(run, each, from, until));
}

export function surelyStandsIn(run: Run, substitute: string, giver: string, at: number): boolean {
  return standInSpans(run, giver, substitute).some((each) => surelyHolds(run, each, at));
}

/** Everybody whom the giver ever named. */
export function substitutesOf({ absences = [] }: Run, giver: string): readonly string[] {
  const own = absences.filter((each) => each.person === giver);
  return [...new Set(own.flatMap(({ substitute }) => substitute ?? []))];
}

/** Everybody who ever named that substitute. */
export function giversTo({ absences = [] }: Run, substitute: string): readonly string[] {
  const own = absences.filter((each) => each.substitute === substitute);
  return [...new Set(own.map(({ person }) => person))];
}

/** All moments at which an absence or substitution begins or ends. */
export function turnsOf({ absences = [] }: Run): readonly number[] {
  const known = turns.get(absences) ?? readTurns(absences);
  turns.set(absences, known);
  return known;
}

/** Once a run is at rest: each rule asks for each version of a message. */
const turns = new WeakMap<readonly AbsenceSeen[], readonly number[]>();

function readTurns(absences: readonly AbsenceSeen[]): readonly number[] {
  const all = absences.flatMap(({ from, to, surelyFrom, surelyTo }) => [
    ...[from, to, surelyTo],
    ...(surelyFrom === null ? [] : [surelyFrom]),
  ]);
  return [...new Set(all)].toSorted((one, other) => one - other);
}

/** Ballots that were accepted, oldest first. */
export function acceptedBallots({ audit }: Logged): readonly AuditSeen[] {
  return (audit ?? []).filter(
    ({ action, facts }) => action === 'approvals.ballot' && facts.refused === undefined,
  );
}

export function giverIn({ facts }: AuditSeen): string | null {
  return typeof facts.for === 'string' ? facts.for : null;
}

/** In whose place the person's ballots were cast, according to the log; null: in their own. */
export function giversOf(seen: Logged, person: string): readonly (string | null)[] {
  const own = acceptedBallots(seen).filter(({ actor }) => actor === person);
  return own.length === 0 ? [null] : [...new Set(own.map(giverIn))];
}

/** Somebody else may fill their place, or they may fill somebody else's. */
export function isPlaceShared(seen: Logged, person: string): boolean {
  return acceptedBallots(seen).some((each) => {
    const giver = giverIn(each);
    return giver !== null && (each.actor === person || giver === person);
  });
}
