import type { Action, Approval } from '../../../src/approvals/approval.ts';
import { createApprovalFlow } from '../../../src/approvals/approval-flow.ts';
import type { ApprovalCore } from '../../../src/approvals/decision/approval-core.ts';
import { listsOf } from '../../../src/approvals/decision/lists-of.ts';
import { resumeSuspended } from '../../../src/approvals/decision/resume.ts';
import { createServiceAnswers } from '../../../src/approvals/decision/service-answers.ts';
import { type ApprovalSignal, encodeSignal } from '../../../src/approvals/decision/signal.ts';
import { votersFor } from '../../../src/approvals/electorate/votes.ts';
import { SHOW_AFTER_MS } from '../../../src/approvals/schedule.ts';
import { executeStep, type Step, type StepResult } from '../../../src/approvals/steps.ts';
import { decodeApproval, encodeApproval } from '../../../src/approvals/stored-approval.ts';
import { showSending } from '../../../src/approvals/tell/update.ts';
import type { Flow } from '../../../src/core/engine/flow.ts';
import { type WorkNeeds, work } from '../../../src/core/engine/lease-session.ts';
import type { RecordDependencies } from '../../../src/core/engine/put-record.ts';
import type { RemoteFailure } from '../../../src/core/lib/failure.ts';
import { systemRandom } from '../../../src/core/lib/random.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import type { PostingQueue } from '../../../src/core/posts/posting-queue.ts';
import type { Lookup } from '../../../src/core/slack/lookup.ts';
import {
  type Held,
  type Store,
  type StoredRecord,
  StoreError,
} from '../../../src/core/store/store.ts';
import { coreWith, NO_BOX } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';
import { approvalWith, LINKS, NOW } from '../approvals.ts';
import type { Chance } from './chance.ts';
import { Gate } from './gate.ts';
import { knownPeople, type Person, REQUESTER, routeOf, SERVICE_USERS } from './people.ts';
import { RecordBox } from './record-box.ts';
import { call, type Process, Timeline } from './timeline.ts';
import { Workspace } from './workspace.ts';

export interface Case {
  readonly quorum: number;
  readonly used: Gate['used'];
  readonly message: boolean;
}

/** A decision that was sent to the service. */
export interface Sent {
  readonly action: Action;
  readonly userId: string | null;
  readonly at: number;
  /** From the note that was saved before. */
  readonly mustEndBy: number;
  /** When its process learned that it had no effect. */
  clearAt?: number;
}

export interface Told {
  readonly user: string;
  readonly at: number;
  readonly text: string;
}

/** Longer than posts are likely to be refused on one tape: a dozen times in a row. */
const WATCH_MS = 3 * 3_600_000;
/** 20 s after the beginning of a timeline. */
const CHANGED_AT = NOW + 20_000;
const FINAL_WORDS = {
  APPROVED: /Approved\b/,
  REJECTED: /Rejected\b/,
  TIMED_OUT: /Timed out/,
};
const RESOLVED_AT = '2026-11-20T10:00:00Z';

/**
 * One approval, the service, Slack and any number of Gatepost processes: the real rules and the real loop, in simulated
 * time, with the faults that `chance` chooses.
 */
export class ApprovalWorld {
  readonly timeline = new Timeline();
  readonly gate: Gate;
  readonly workspace: Workspace;
  readonly box: RecordBox;
  readonly clicks: { readonly user: Person; readonly action: Action; readonly at: number }[] = [];
  /** Including those whose end nobody knows. */
  readonly tried: { readonly user: Person; readonly action: Action }[] = [];
  readonly told: Told[] = [];
  readonly sent: Sent[] = [];
  /** When accounts were deactivated and activated, alternating. */
  readonly #changes = new Map<string, number[]>();
  /** When the service last said PENDING. */
  readonly pendingAt: number[] = [];
  /** Violations. */
  readonly faults: string[] = [];
  /** What happened, for analysing a failure. */
  readonly log: string[] = [];
  readonly #chance: Chance;
  readonly #case: Case;
  readonly #startedAt = this.timeline.now;
  #ids = 0;
  #processes = 0;

  constructor(setting: Case, chance: Chance) {
    this.#case = setting;
    this.#chance = chance;
    this.gate = new Gate(setting.used);
    this.workspace = new Workspace((shown) => this.#judgeShown(shown));
    const { now } = this.timeline;
    const approval = newApproval(setting, now);
    const data = encodeApproval(approval);
    this.box = new RecordBox(this.timeline, data, listsOf(approval), 'C0PROD');
  }

  get approval(): Approval {
    return decodeApproval(this.box);
  }

  note(what: string): void {
    this.log.push(`${(this.timeline.now - this.#startedAt) / 1_000} s: ${what}`);
  }

  /** A person presses a button on an existing message. */
  async press(user: Person, action: Action | 'check', pick: number): Promise<void> {
    const copies = this.workspace.of('message');
    const message = copies[pick % Math.max(1, copies.length)];
    if (message === undefined) return;
    const asker = { user, channel: 'C0PROD', responseUrl: `url-of-${user}` };
    const body: ApprovalSignal =
      action === 'check'
        ? { kind: 'check', asker, message: message.ts }
        : { kind: 'ballot', action, asker, message: message.ts };
    const at = this.timeline.now;
    if (action !== 'check') this.tried.push({ user, action });
    const kind = await this.signal(body, { channel: 'C0PROD', message: message.ts });
    if (kind === 'stored' && action !== 'check') this.clicks.push({ user, action, at });
  }

  signal(
    body: ApprovalSignal,
    place?: { channel: string; message: string },
  ): Promise<'stored' | 'refused' | 'unknown'> {
    const process: Process = this.#newProcess();
    const signal = { id: `signal-${++this.#ids}`, body: encodeSignal(body) };
    const options = { hold: true, ...(place && { place }) };
    return call(this.timeline, process, this.#chance.store(), () =>
      this.box.signal(signal, options),
    ).then(
      (signalled) => {
        if (signalled.kind === 'leased') this.#run(signalled.held, process);
        return signalled.kind === 'mismatch' ? 'refused' : 'stored';
      },
      () => 'unknown',
    );
  }

  /** Resumes the approvals on a list, as another approval does that succeeds again. */
  async wake(list: string, process = this.#newProcess()): Promise<void> {
    this.note(`${process.name} resumes ${list}`);
    await resumeSuspended(this.#records(process), list);
  }

  /** Where the record is, for look-ups of others. */
  #records(process: Process): RecordDependencies {
    const { timeline, box } = this;
    const wentBackAt = () => (timeline.now >= CHANGED_AT ? CHANGED_AT : 0);
    const store = fake<Store>({
      list: (names) => call(timeline, process, this.#chance.store(), () => box.list(names)),
      // Nobody closes the route.
      find: () => call(timeline, process, this.#chance.store(), () => undefined),
      signal: (_id, signal, options) =>
        call(timeline, process, this.#chance.store(), () => box.signal(signal, options)),
      pace: async () => 0,
      pause: async () => {},
      now: () => timeline.now,
      // The server changes at intervals.
      servingSince: wentBackAt,
      wentBackAt,
    });
    const run = async (held: Held) => this.#run(held, process);
    return { store, reconciler: { hasRoom: true, run } };
  }

  /** Somebody deactivates an account, or activates it again. */
  changeAccount(user: Person): void {
    this.#changes.set(user, [...(this.#changes.get(user) ?? []), this.timeline.now]);
  }

  #isActive(user: string, at: number): boolean {
    const before = (this.#changes.get(user) ?? []).filter((each) => each <= at);
    return before.length % 2 === 0;
  }

  #wasActiveSince(user: string, since: number): boolean {
    const times = [since, ...(this.#changes.get(user) ?? []).filter((each) => each > since)];
    return times.some((at) => this.#isActive(user, at));
  }

  #run(held: Held, process: Process): void {
    work(held, this.#flow(process), this.#workNeeds(process)).catch((error: unknown) => {
      if (!(error instanceof StoreError)) this.faults.push(`the loop threw: ${error}`);
    });
  }

  #newProcess(): Process {
    return { name: `process ${++this.#processes}`, isAlive: true };
  }

  #workNeeds(process: Process): WorkNeeds {
    const { box, timeline } = this;
    return {
      store: {
        save: ({ token }, change) =>
          call(timeline, process, this.#chance.store(), () => {
            const saved = box.save(token, change);
            this.note(`${process.name} saves ${change.next.kind}: ${saved.kind}`);
            return saved;
          }),
        signal: (_id, signal, options) =>
          call(timeline, process, this.#chance.store(), () => box.signal(signal, options)),
        // No record vanishes here.
        read: async (id) => ({ id }) as StoredRecord,
      },
      monotonic: () => timeline.now,
      sleep: (ms) => call(timeline, process, { landsMs: ms, endsMs: ms }, () => {}),
      newId: () => `late-${++this.#ids}`,
      timing: TRUE_TIME,
      onVanished: () => {},
      onStep: ({ step, result, failure, tookMs }) =>
        this.note(`${process.name} ${step}: ${failure?.code ?? result}, ${tookMs} ms`),
    };
  }

  /** Advances time; a claim then finds the record. */
  runUntil(isDone: () => boolean, limitMs: number): Promise<boolean> {
    const { box } = this;
    const ring = () => this.#run(box.lease(), this.#newProcess());
    return this.timeline.runUntil(isDone, limitMs, {
      get at() {
        return box.dueAt;
      },
      ring,
    });
  }

  #flow(process: Process): Flow<Approval, Step, StepResult> {
    const needs = this.#performNeeds(process);
    const real = createApprovalFlow(needs);
    return {
      ...real,
      execute: (approval, step, id) =>
        step.kind === 'respond'
          ? this.#respond(needs, process, approval, id)
          : executeStep(needs, id, approval, step),
    };
  }

  /** Like `sendDecision`, in simulated time. */
  async #respond(needs: ApprovalCore, process: Process, approval: Approval, id: string) {
    const { decision } = approval;
    if (decision?.phase.name !== 'sending') throw new Error('sent without a note');
    const { action, serviceUser, phase, asker } = decision;
    const made = { decision, ballots: approval.ballots };
    for (const user of votersFor(action, approval.ballots)) {
      if (!this.#wasActiveSince(user, asker.at)) {
        this.faults.push(`${user} counts, who could not decide since the press`);
      }
    }
    const sent = this.#judgeSend(action, serviceUser ?? null, phase.attempt.mustEndBy);
    const answer = call(this.timeline, process, this.#chance.remote('effect'), () =>
      this.gate.respond(action, serviceUser ?? null, RESOLVED_AT),
    ).then(
      (status) => ({ kind: 'status', answer: status }) as const,
      (error: RemoteFailure) => {
        const isClear = error.class === 'refused' || error.class === 'not-sent';
        if (isClear) sent.clearAt = this.timeline.now;
        return { kind: 'failed', failure: error.facts } as const;
      },
    );
    const slow = call(
      this.timeline,
      process,
      { landsMs: SHOW_AFTER_MS, endsMs: SHOW_AFTER_MS },
      () => 'slow' as const,
    );
    const first = await Promise.race([answer, slow]);
    if (first !== 'slow') return { kind: 'responded', end: first, sent: made } as const;
    const [end, shown] = await Promise.all([answer, showSending(needs, id, approval)]);
    const isUnclear = shown.kind === 'failed' && shown.failure.class === 'ambiguous';
    return {
      kind: 'responded',
      end,
      sent: made,
      sending: isUnclear ? 'unclear' : 'shown',
    } as const;
  }

  #judgeSend(action: Action, userId: string | null, mustEndBy: number): Sent {
    const { now } = this.timeline;
    for (const before of this.sent) {
      if (before.clearAt !== undefined) continue;
      const quietAt = before.mustEndBy + TRUE_TIME.quietMs;
      if (now < quietAt) this.faults.push('a decision was sent while another may be on its way');
      if (!this.pendingAt.some((at) => at >= quietAt)) {
        this.faults.push('a decision was sent again before the service said PENDING');
      }
    }
    if (this.pendingAt.length === 0) this.faults.push('a decision was sent before a read');
    const mayDecide = this.tried.some(
      (click) => click.action === action && SERVICE_USERS[click.user] === userId,
    );
    if (!mayDecide || userId === null) this.faults.push(`${userId} did not ${action}`);
    this.note(`${userId} sends ${action}`);
    const sent: Sent = { action, userId, at: now, mustEndBy };
    this.sent.push(sent);
    return sent;
  }

  #judgeShown(shown: string): void {
    for (const [status, words] of Object.entries(FINAL_WORDS)) {
      if (words.test(shown) && this.gate.status !== status) {
        this.faults.push(`a message says ${status} while the service says ${this.gate.status}`);
      }
    }
  }

  #judgePost<Posted extends { readonly ts: string }>(posted: Posted): Posted {
    const post = this.workspace.messages.find(({ ts }) => ts === posted.ts)?.post ?? '';
    this.note(`${post} lands`);
    const copies = this.workspace.of(post.replace(/-again-\d+$/, ''));
    if (copies.length > 1) this.faults.push(`${post} is there twice`);
    return posted;
  }

  #readStatus() {
    const answer = this.gate.read(RESOLVED_AT);
    if (answer.status === 'PENDING') this.pendingAt.push(this.timeline.now);
    return answer;
  }

  #performNeeds(process: Process): ApprovalCore {
    const read = <Value>(land: () => Value) =>
      call(this.timeline, process, this.#chance.remote('read'), land);
    const effect = <Value>(land: () => Value) =>
      call(this.timeline, process, this.#chance.remote('effect'), land);
    const { workspace } = this;
    const people = knownPeople(read, (id) => this.#isActive(id, this.timeline.now));
    const clock = { monotonic: () => this.timeline.now };
    const say = (kind: 'effect' | 'lastWord', user: string, text: string) =>
      call(this.timeline, process, this.#chance.remote(kind), () => {
        this.told.push({ user, at: this.timeline.now, text });
      });
    const core = coreWith({
      ...people,
      links: LINKS,
      service: {
        approvals: {
          get: () =>
            call(this.timeline, process, this.#chance.remote('status'), () => this.#readStatus()),
          respond: () => Promise.reject(new Error('see #respond')),
        },
      },
      outbox: {
        post: (post) => effect(() => this.#judgePost(workspace.post(post))),
        update: (update) => effect(() => workspace.update(update)),
        findByMetadata: (search) =>
          call(this.timeline, process, this.#chance.remote('search'), () => workspace.find(search)),
        readMessage: ({ ts }) =>
          call(this.timeline, process, this.#chance.remote('search'), () => workspace.read(ts)),
        openDirectMessage: (user) => effect(() => `D${user}`),
      },
      replies: {
        respondUrl: (url, { text }) => say('effect', url.replace('url-of-', ''), text),
        ephemeral: ({ user, text }) => say('effect', user, text),
        direct: ({ user, text }) => say('lastWord', user, text),
      },
      lookup: fake<Lookup>({
        ...people.lookup,
        isMember: () => read(() => true),
        userByEmail: () => read(() => REQUESTER.user),
      }),
      callbacks: { isWanted: () => false, send: () => 'unwanted', close: async () => {} },
      deliverResult: () => {},
      ...this.#records(process),
      serviceAnswers: createServiceAnswers({
        clock,
        store: smallKeys(clock.monotonic),
        timing: TRUE_TIME,
      }),
      raise: async ({ about }) => this.note(`administrators hear of ${about}`),
      box: NO_BOX,
      config: {
        sources: [],
        service: null,
        routes: [routeOf(this.#case)],
        budgetPerMinute: 240,
        watchMaxAgeMs: WATCH_MS,
        retention: { doneMs: 86_400_000, decidedMs: 3_600_000, auditMs: 86_400_000 },
      },
      random: { ...systemRandom, fraction: () => 0.5 },
      pending: () => 1,
      queue: fake<PostingQueue>({ taken() {} }),
      ages: { monotonic: () => this.timeline.now },
      timers: { ...systemTimers, deadline: () => new AbortController().signal },
    });
    return core;
  }
}

/** For one process only: nothing here depends on what others know. */
function smallKeys(now: () => number): Store {
  const kept = new Map<string, string>();
  return fake<Store>({
    now,
    get: async (key) => kept.get(key),
    async putIfAbsent(key, value) {
      if (kept.has(key)) return false;
      kept.set(key, value);
      return true;
    },
    async take(key) {
      const value = kept.get(key);
      kept.delete(key);
      return value;
    },
  });
}

function newApproval({ message }: Case, now: number): Approval {
  const approval = approvalWith({
    requester: { email: REQUESTER.email },
    posts: [{ name: 'message', channel: 'C0PROD' }],
    watch: { state: 'pending', nextAt: now },
  });
  const { message: _, ...silent } = approval;
  return message ? approval : silent;
}
