import type { Chance } from './chance.ts';
import type { Chronicle } from './chronicle.ts';
import type { IntakeAnswer } from './door.ts';
import type { ReportSeen, WorkState } from './evidence.ts';
import type { Gate, Observer } from './observer.ts';
import type { Scheduler } from './scheduler.ts';

interface ReportNeeds {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly chronicle: Chronicle;
  readonly now: () => number;
  readonly observer: Pick<Observer, 'presses' | 'gates'>;
  readonly send: (gate: Gate, path: string, body: string) => Promise<IntakeAnswer | null>;
}

interface Wish {
  readonly state: WorkState;
  readonly claim?: string;
}

/** How often a report without an answer is sent. */
const TRIES = 20;
/** How often a run asks whether it can begin. */
const LOOKS = 8;
/** How long after the faults work ends that takes long: what they disturbed is mended. */
const LATE_MS = { least: 40_000, most: 90_000 } as const;

/**
 * What automations report of approved work, in every order: some before it is approved, two runs of one approval that
 * both claim it, some claim it again, or say that it runs after it has ended.
 */
export class Reports {
  readonly #needs: ReportNeeds;
  /** Runs that are not over. */
  underWay = 0;

  constructor(needs: ReportNeeds) {
    this.#needs = needs;
  }

  /** Its automation has reached it. */
  opened(gate: Gate): void {
    const { scheduler } = this.#needs;
    const chance = this.#needs.chance.branch(gate.name);
    if (!chance.often(0.45)) return;
    const atMs = chance.wait(1_000, 12_000, 60_000);
    const runs = chance.often(0.5) ? 2 : 1;
    for (let run = 1; run <= runs; run += 1) {
      this.underWay += 1;
      scheduler.after(atMs + (run - 1) * chance.whole(0, 2_000), () => {
        void this.#work(gate, `run-${run}`, chance.branch(String(run))).finally(() => {
          this.underWay -= 1;
        });
      });
    }
  }

  /** No faults any more, and nobody presses anything: work ends that somebody approved on their Home tab. */
  end(): void {
    const { scheduler, observer, chance } = this.#needs;
    const atHome = observer.presses.filter(
      ({ action, isElsewhere }) => action === 'approve' && isElsewhere === true,
    );
    for (const gate of observer.gates) {
      if (!atHome.some(({ approval }) => approval === gate.name)) continue;
      const own = chance.branch(`${gate.name} at the end`);
      this.underWay += 1;
      scheduler.after(own.whole(LATE_MS.least, LATE_MS.most), () => {
        void this.#report(gate, own.pick(ENDS), own).finally(() => {
          this.underWay -= 1;
        });
      });
    }
  }

  async #work(gate: Gate, run: string, chance: Chance): Promise<void> {
    const { scheduler } = this.#needs;
    const claims = { state: 'running', claim: run } as const;
    const first: Wish = chance.often(0.8) ? claims : { state: 'running' };
    if (!(await this.#begin(gate, first, chance))) return;
    for (const wish of wishes(claims, chance)) {
      await scheduler.sleep(chance.wait(100, 3_000, 15_000));
      await this.#report(gate, wish, chance);
    }
  }

  /** Until it is approved, or somebody else has begun; returns whether it may run. */
  async #begin(gate: Gate, wish: Wish, chance: Chance): Promise<boolean> {
    const { scheduler } = this.#needs;
    for (let look = 0; look < LOOKS; look += 1) {
      const { status, detail } = await this.#report(gate, wish, chance);
      if (status === 200) return true;
      if (status !== 409 || !OPEN.test(detail ?? '')) return false;
      await scheduler.sleep(chance.wait(3_000, 9_000, 30_000));
    }
    return false;
  }

  /** Sends it until it is answered. */
  async #report(gate: Gate, { state, claim }: Wish, chance: Chance) {
    const { scheduler, send, chronicle, now } = this.#needs;
    const unheard = { status: null, detail: null };
    for (let tries = 0; tries < TRIES; tries += 1) {
      const record = gate.intake.findLast((each) => each.record !== null)?.record;
      if (record === undefined || record === null) return unheard;
      const seen: Mutable<ReportSeen> = {
        ...{ at: now(), answeredAt: null, ...unheard },
        ...{ state, claim: claim ?? null },
      };
      gate.reports.push(seen);
      const body = JSON.stringify({ state, ...(claim !== undefined && { claim }) });
      const answer = await send(gate, `/v1/approvals/${record}/result`, body);
      if (answer !== null) {
        seen.answeredAt = now();
        seen.status = answer.status;
        seen.detail = JSON.parse(answer.body).detail ?? null;
      }
      const what = `reports ${state} ${claim ?? ''} of ${gate.name}, and reads ${seen.status}`;
      chronicle.note('automation', what, gate.name);
      if (seen.status !== null && seen.status < 500 && seen.status !== 429) return seen;
      await scheduler.sleep(chance.whole(500, 4_000));
    }
    return unheard;
  }
}

const OPEN = /not approved yet/;

/** What a run reports after its beginning. */
function wishes(claims: Wish, chance: Chance): Wish[] {
  const some = (share: number, wish: Wish): Wish[] => (chance.often(share) ? [wish] : []);
  const end = () => chance.pick(ENDS);
  return [
    ...some(0.4, claims),
    ...some(0.2, { state: 'running' }),
    ...some(0.9, end()),
    ...some(0.3, claims),
    ...some(0.4, { state: 'running' }),
    ...some(0.15, end()),
  ];
}

const ENDS: readonly [Wish, ...Wish[]] = [{ state: 'succeeded' }, { state: 'failed' }];

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
