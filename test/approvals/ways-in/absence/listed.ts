import {
  ABSENCE_KIND,
  type Absence,
  encodeAbsence,
} from '../../../../src/approvals/electorate/absence.ts';
import type { Listed } from '../../../../src/core/store/store.ts';

/** Absences as the store lists them. */
export function listed(absences: readonly Absence[]): Listed {
  const entries = absences.map((absence, at) => ({
    cursor: String(at),
    record: {
      id: `0-${at}`,
      kind: ABSENCE_KIND,
      data: encodeAbsence(absence),
      lane: 'people' as const,
      dueAt: null,
      place: null,
      uniqueKey: null,
      lists: [],
    },
  }));
  return { entries, next: null };
}
