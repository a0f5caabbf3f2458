import type { Route } from '../../../core/config/config.ts';
import type { Core } from '../../../core/core.ts';
import type { Due } from '../../../core/engine/first-due.ts';
import { signalRecord } from '../../../core/engine/put-record.ts';
import { omit } from '../../../core/lib/omit.ts';
import { encodeSignal } from '../../decision/signal.ts';
import {
  ABSENCE_KIND,
  type Absence,
  type AbsenceSignal,
  absenceKeyOfId,
  absencesCoveredBy,
  decodeAbsence,
  encodeAbsence,
  endedAbsence,
  listsOfAbsence,
  receiveAbsence,
  shownId,
  type Told,
  withNamedTold,
} from '../../electorate/absence.ts';
import { decidersOf } from '../../electorate/deciders.ts';
import { readableApproval } from '../../stored-approval.ts';
import { createTellingFlow } from '../../tell/tell-many.ts';
import { noticeMessage } from './away-words.ts';
import { isAskingAny } from './is-asking-any.ts';

/**
 * What follows from an absence: the open requests that ask the person read absences again, and people get direct
 * messages. The record lasts until the person is back, or the time is over, and all of them were told of that too.
 */
export function createAbsenceFlow(core: Core) {
  return createTellingFlow(core, {
    kind: ABSENCE_KIND,
    decode: decodeAbsence,
    encode: encodeAbsence,
    listsOf: listsOfAbsence,
    // as: only `signalAbsence` writes it
    receive: (absence, signal) =>
      receiveAbsence(absence, signal, JSON.parse(signal.body) as AbsenceSignal),
    dues: (absence, now) => [dueEnd(absence, now)],
    // It may have been set again.
    change: (absence, _end, now) => ({
      data: isOver(absence, now) ? endedAbsence(absence, now) : absence,
    }),
    toldOf: (absence, id, changedAt) => absence.told ?? tellPeople(core, id, absence, changedAt),
    withTold: (absence, told: Told | undefined) =>
      told === undefined ? omit<Absence, Absence>(absence, 'told') : { ...absence, told },
    signal: (id, changedAt) => ({
      id: `absences.${id}.${changedAt}`,
      body: encodeSignal({ kind: 'absences' }),
    }),
    isConcerned(record, { ids }) {
      const approval = readableApproval(record);
      return ids === undefined || !approval || isAskingAny(core, approval, ids);
    },
    wantedOf: (absence, notice) => ({
      user: notice.to,
      names: [notice.of],
      content: () => noticeMessage(notice, absence, core.links),
    }),
    posted: withNamedTold,
  });
}

/** The time is over. */
interface EndAbsence {
  readonly kind: 'end-absence';
}

function isOver({ endedAt, until }: Absence, now: number): boolean {
  return endedAt === undefined && now >= until;
}

/** Its acts are kept for a while after its end, for a command that is held back meanwhile. */
const KEPT_MS = 3_600_000;

function dueEnd(absence: Absence, now: number): Due<EndAbsence> {
  const { endedAt, until, acts } = absence;
  if (isOver(absence, now)) return { kind: 'end-absence' };
  if (endedAt === undefined) return until;
  const keptUntil = endedAt + KEPT_MS;
  return acts === undefined || now >= keptUntil ? null : keptUntil;
}

/**
 * Tells people who named the absent person as substitute. Returns whose places the absent person may be mentioned in,
 * and the routes of such requests. Throws StoreError.
 */
async function tellPeople(
  core: Core,
  id: string,
  { ids, until, endedAt }: Absence,
  changedAt: number,
): Promise<Told> {
  const given = await absencesCoveredBy(core.store, { id: shownId(ids), globalId: ids[0] });
  if (endedAt === undefined) {
    const body = JSON.stringify({ kind: 'substitute-away', ids, until } satisfies AbsenceSignal);
    for (const absence of given) {
      const record = await core.store.find(absenceKeyOfId(absence.ids[0]));
      if (record === undefined) continue;
      await signalRecord(core, record.id, { id: `away.${id}.${changedAt}`, body });
    }
  }
  const all = [...ids, ...given.flatMap((each) => each.ids)];
  return { ids: all, routes: routesOf(core.config.routes, all) };
}

/** Routes on which people decide by name, or possibly by a group or the channel. */
export function routesOf(routes: readonly Route[], ids: readonly string[]): readonly string[] {
  return routes
    .filter((route) => {
      const { users, groups, channel } = decidersOf(route);
      return channel || groups.length > 0 || ids.some((id) => users.includes(id));
    })
    .map(({ name }) => name);
}
