import { createHash } from 'node:crypto';
import { faceKey } from '../posts/telling.ts';
import type { Reconciler } from '../reconcile/reconciler.ts';
import { firstPhase } from '../reconcile/sending.ts';
import type { NewTestCase } from '../service/create-test-case.ts';
import type { Created, Store } from '../store/store.ts';
import { faceOf } from './case-face.ts';
import { CASE_KIND, type CaseRecord, encodeCase } from './case-record.ts';
import type { TestPlaces } from './catalogue.ts';

export interface RecordNeeds {
  readonly store: Pick<Store, 'create' | 'now'>;
  readonly reconciler: Pick<Reconciler, 'hasRoom' | 'run'>;
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

export interface Recorded {
  readonly record: CaseRecord;
  readonly created: Created;
  /** Begins at once, after the acknowledgement. */
  carryOn(): void;
}

/**
 * Records a test case, durably and once: a second delivery of the same finds the first. `key`: unique to
 * what was pressed or typed. Throws StoreError.
 */
export async function recordCase(
  { store, reconciler, places }: RecordNeeds,
  wish: Wish,
  key: string,
): Promise<Recorded> {
  const record = newCase(wish, places.cases.announce, store.now());
  const { by, wanted } = wish;
  const created = await store.create(
    {
      kind: CASE_KIND,
      data: encodeCase(record),
      lane: 'people',
      dueInMs: 0,
      place: null,
      uniqueKey: createHash('sha256').update(`${CASE_KIND}\0${key}`).digest('base64url'),
      audit: [{ action: 'test-cases.asked', record: null, actor: by, facts: factsOf(wanted) }],
    },
    { hold: reconciler.hasRoom },
  );
  const held = created.kind === 'created' ? created.held : undefined;
  return { record, created, carryOn: () => void (held && reconciler.run(held)) };
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
