import { type FailureFacts, RemoteFailure } from '../../../src/core/lib/failure.ts';
import { StoreError } from '../../../src/core/store/store.ts';
import type { Course } from './timeline.ts';

/**
 * Faults, read from a tape of numbers: 0 is none, and so is the end of the tape, so that every world behaves in the
 * end, and a shorter tape is a simpler case.
 */
export class Chance {
  readonly #tape: readonly number[];
  #at = 0;

  constructor(tape: readonly number[]) {
    this.#tape = tape;
  }

  remote(kind: keyof typeof REMOTE): Course {
    return this.#pick(REMOTE[kind]);
  }

  store(): Course {
    return this.#pick(STORE);
  }

  #pick(courses: readonly Course[]): Course {
    const drawn = this.#tape[this.#at++] ?? 0;
    // as: the index is smaller than the length
    return courses[drawn % courses.length] as Course;
  }
}

function failed(facts: FailureFacts): Error {
  return new RemoteFailure('call', facts);
}

function isRefusal(failure: Error | undefined): boolean {
  if (!(failure instanceof RemoteFailure)) return false;
  return failure.class === 'refused' && failure.status !== 429;
}

const refused = (status: number, retryAfterMs?: number) =>
  failed({
    class: 'refused',
    code: `http_${status}`,
    status,
    detail: `no <${status}>`,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  });
const denied = refused(403);
const notSent = failed({ class: 'not-sent', code: 'connection_refused' });
const lost = failed({ class: 'ambiguous', code: 'connection_lost' });
const timeout = failed({ class: 'ambiguous', code: 'timeout' });
const unreadable = failed({ class: 'unreadable', code: 'unreadable_answer', status: 200 });

const WELL: Course = { landsMs: 20, endsMs: 40 };

const READS: readonly Course[] = [
  WELL,
  WELL,
  WELL,
  WELL,
  { landsMs: 1_500, endsMs: 3_000 },
  // Its result is old when it ends.
  { landsMs: 100, endsMs: 4_500 },
  { endsMs: 10, failure: notSent },
  { endsMs: 20, failure: refused(429, 3_000) },
  { endsMs: 20, failure: refused(429) },
  { endsMs: 20, failure: denied },
  { endsMs: 20, failure: lost },
  { endsMs: 5_000, failure: timeout },
  { landsMs: 20, endsMs: 25, failure: unreadable },
  { landsMs: 20, endsMs: 14_000 },
  { endsMs: 40_000, crashMs: 5 },
];

const EFFECTS: readonly Course[] = [
  ...READS,
  { endsMs: 20, failure: refused(400) },
  { endsMs: 20, failure: refused(409) },
  { landsMs: 20, endsMs: 25, failure: lost },
  { landsMs: 20, endsMs: 5_000, failure: timeout },
  // It lands as late as possible: its note is 2 s old, its deadline 5 s away, its delay 10 s.
  { landsMs: 12_900, endsMs: 5_000, failure: timeout },
  { landsMs: 7_000, endsMs: 5_000, failure: timeout },
  // The process is stopped while its lease ends, and learns of it late.
  { landsMs: 20, endsMs: 14_000 },
  { landsMs: 20, endsMs: 45_000 },
  { endsMs: 14_000, failure: notSent },
  { endsMs: 30_000, failure: refused(403) },
  { endsMs: 45_000, failure: refused(429) },
  { landsMs: 20, endsMs: 40_000, crashMs: 10 },
  { landsMs: 20, endsMs: 40_000, crashMs: 30 },
  { landsMs: 12_900, endsMs: 40_000, crashMs: 5 },
];

const REMOTE = {
  read: READS,
  effect: EFFECTS,
  // A service may temporarily not show a gate.
  status: [...READS, { endsMs: 20, failure: refused(404) }, { endsMs: 20, failure: refused(404) }],
  // If Slack does not allow the search, a second message is the chosen behaviour.
  search: READS.filter(({ failure }) => failure !== denied),
  // A person whom Slack refuses on the last way cannot be told.
  lastWord: EFFECTS.filter(({ failure }) => !isRefusal(failure)),
};

const STORE: readonly Course[] = [
  ...Array.from({ length: 12 }, () => ({ landsMs: 1, endsMs: 2 })),
  { landsMs: 500, endsMs: 1_000 },
  { landsMs: 2_500, endsMs: 4_000 },
  { landsMs: 1, endsMs: 20_000 },
  { endsMs: 300, failure: new StoreError('unavailable', 'away') },
  { endsMs: 1_500, failure: new StoreError('unknown', 'no answer') },
  { landsMs: 100, endsMs: 1_500, failure: new StoreError('unknown', 'no answer') },
  { endsMs: 2, crashMs: 1 },
  { landsMs: 1, endsMs: 10, crashMs: 5 },
];
