import { faceKey } from '../posts/telling.ts';
import { type RecordedOnce, type RecordOnceNeeds, recordOnce } from '../reconcile/record-once.ts';
import { firstPhase } from '../reconcile/sending.ts';
import type { NewTestCase } from '../service/create-test-case.ts';
import type { Store } from '../store/store.ts';
import { faceOf } from './case-face.ts';
import { CASE_KIND, type CaseRecord, encodeCase } from './case-record.ts';
import type { TestPlaces } from './catalogue.ts';

export interface RecordNeeds extends RecordOnceNeeds {
  readonly store: Pick<Store, 'create' | 'now'>;
  readonly places: Pick<TestPlaces, 'cases'>;
}

/** What somebody asked for. */
export interface Wish {
  readonly by: string;
  readonly channel: string;
  readonly wanted: NewTestCase;
  readonly round: number;
  /** The modal that it was asked for in; absent: a command. */
  readonly modal?: string;
}

export interface Recorded extends RecordedOnce {
  readonly record: CaseRecord;
}

/**
 * Records a test case, durably and once: a second delivery of the same finds the first. `key`: unique to
 * what was pressed or typed. Throws StoreError.
 */
export async function recordCase(needs: RecordNeeds, wish: Wish, key: string): Promise<Recorded> {
  const record = newCase(wish, needs.places.cases.announce, needs.store.now());
  const { by, wanted } = wish;
  const audit = { action: 'test-cases.asked', record: null, actor: by, facts: factsOf(wanted) };
  const data = encodeCase(record);
  return { record, ...(await recordOnce(needs, { kind: CASE_KIND, data, key, audit })) };
}

function newCase(wish: Wish, announce: boolean, now: number): CaseRecord {
  const record: CaseRecord = {
    v: 1,
    ...wish,
    announce,
    createdAt: now,
    phase: firstPhase(0),
    parts: [],
  };
  return { ...record, shown: faceKey(faceOf(record)) };
}

/** Never the words themselves. */
function factsOf({ projectId, priority, type, suiteId }: NewTestCase) {
  return {
    project: projectId,
    priority: priority ?? null,
    type: type ?? null,
    suite: suiteId ?? null,
  };
}
