import { describe, expect, test } from 'vitest';
import type { ApprovalDetails } from '../../../../ask/contract/approval-details.ts';
import { GateError } from '../../../../ask/contract/gate-error.ts';
import type { OwnGate } from '../../../../src/approvals/ways-in/mcp/own-gate.ts';
import { toolsFor } from '../../../../src/approvals/ways-in/mcp/tools.ts';
import { systemRandom } from '../../../../src/core/lib/random.ts';
import type { System } from '../../../../src/core/lib/system.ts';
import type { Store } from '../../../../src/core/store/store.ts';
import { fake } from '../../../support/fake.ts';

/** The tools, with a gate and a time that the test moves. */

const MINUTE_MS = 60_000;
const DEPLOY = { title: 'Apply the plan', change: 'terraform apply' };
const CONTEXT = { signal: new AbortController().signal, progress: async () => {} };

type Changes = Partial<ApprovalDetails>;

/** A gate that keeps requests by key, as the intake does. */
function stageWith() {
  let now = Date.parse('2030-01-01T00:00:00Z');
  const requests = new Map<string, ApprovalDetails>();
  const claims = new Map<string, string>();
  const failures: GateError[] = [];
  const notes = new Map<string, string>();
  const asked: string[] = [];
  const ofId = (id: string) => {
    const failure = failures.shift();
    if (failure !== undefined) throw failure;
    const details = [...requests.values()].find((each) => each.id === id);
    if (details === undefined) throw new GateError('unknown', 'It is unknown.', { status: 404 });
    return details;
  };
  const change = (id: string, changes: Changes) => {
    const details = ofId(id);
    requests.set(details.key ?? '', { ...details, ...changes });
    return details;
  };
  const gate: OwnGate = {
    async ask({ key = '' }) {
      asked.push(key);
      const known = requests.get(key);
      const details = known ?? detailsOf(`0-${requests.size}`, key, now);
      requests.set(key, details);
      return { ...details, isNew: known === undefined };
    },
    async read(id, waitMs = 0) {
      now += waitMs;
      return ofId(id);
    },
    check: async () => {},
    async withdraw(id) {
      const at = new Date(now).toISOString();
      change(id, { status: 'WITHDRAWN', final: true, withdrawnAt: at });
      return ofId(id);
    },
    async claim(id, claim) {
      if (!claims.has(id)) claims.set(id, claim);
      if (claims.get(id) !== claim) return 'This approval was started before';
      const at = new Date(now).toISOString();
      change(id, { result: { state: 'running', at, history: [] } });
      return undefined;
    },
  };
  const store = fake<Store>({
    now: () => now,
    get: async (key) => notes.get(key),
    put: async (key, value) => void notes.set(key, value),
  });
  const system = {
    random: systemRandom,
    clock: { now: () => now, monotonic: () => now },
    timers: fake<System['timers']>({
      async sleep(ms) {
        now += ms;
      },
    }),
  };
  const wrong: unknown[] = [];
  /** Each is a call of another replica. */
  const tools = (scope: unknown = 'agents') =>
    toolsFor({
      gate,
      store,
      system,
      scope,
      requestedBy: undefined,
      isStopping: () => false,
      onError(error) {
        wrong.push(error);
        return 'Something went wrong.';
      },
    });
  return {
    asked,
    failures,
    wrong,
    tools,
    pass: (ms: number) => {
      now += ms;
    },
    decide(id: string, status: 'APPROVED' | 'REJECTED' | 'TIMED_OUT' | 'UNKNOWN' | 'BLOCKED') {
      const final = status !== 'UNKNOWN' && status !== 'BLOCKED';
      const resolvedAt = new Date(now).toISOString();
      const by = ['U0ANA'];
      const outcome = final ? { outcome: { status, resolvedAt, by, certain: true } } : {};
      change(id, { status, final, ...outcome });
    },
    change,
    ask: async (given = {}, scope?: unknown) =>
      factsIn(await tools(scope).request({ ...DEPLOY, ...given }, false, CONTEXT)),
    wait: async (id: string) => factsIn(await tools().wait({ id }, CONTEXT)),
  };
}

function detailsOf(id: string, key: string, now: number): ApprovalDetails {
  return {
    id,
    key,
    status: 'PENDING',
    url: `/v1/approvals/${id}`,
    final: false,
    shortId: 'a',
    digest: '0'.repeat(64),
    createdAt: new Date(now).toISOString(),
    posting: { state: 'posted' },
    approvals: 0,
    needs: [],
    ballots: [],
  };
}

function factsIn({ content, structuredContent, isError }: Awaited<ReturnType<Tools['wait']>>) {
  const facts = structuredContent ?? {};
  const { id, status, approved } = facts;
  return { text: content[0]?.text ?? '', isError, id: String(id), status, approved, facts };
}
type Tools = ReturnType<typeof toolsFor>;

function idOf({ id }: { readonly id: string }): string {
  return id.split('.')[0] ?? '';
}

test('an approval of whoever asks opens nothing, and no call receives it', async () => {
  const stage = stageWith();
  const { id } = await stage.ask();
  const [request = ''] = id.split('.');
  stage.decide(request, 'APPROVED');
  stage.change(request, { ownApproval: true });
  const end = await stage.wait(id);
  expect(end).toMatchObject({ status: 'USED', approved: false });
  expect(end.facts).toMatchObject({ by: [] });
  expect(end.text).toContain('opens nothing');
});

describe('the same call made again', () => {
  test('finds its request while it is undecided, and waits with a handle of its own', async () => {
    const stage = stageWith();
    const first = await stage.ask();
    stage.pass(20 * 60 * MINUTE_MS);
    const second = await stage.ask();
    expect(idOf(second)).toBe(idOf(first));
    expect(second.id).not.toBe(first.id);
  });

  test.each(['APPROVED', 'REJECTED', 'TIMED_OUT'] as const)(
    'gets %s within ten minutes if no call has received it, once',
    async (status) => {
      const stage = stageWith();
      const first = await stage.ask();
      stage.decide(idOf(first), status);
      stage.pass(9 * MINUTE_MS);
      const second = await stage.ask();
      expect(second).toMatchObject({ status, approved: status === 'APPROVED' });
      expect(idOf(second)).toBe(idOf(first));
      const third = await stage.ask();
      expect(third).toMatchObject({ status: 'PENDING', approved: false });
      expect(idOf(third)).not.toBe(idOf(first));
    },
  );

  test.each(['APPROVED', 'REJECTED'] as const)(
    'asks anew if %s was received by a call that waited',
    async (status) => {
      const stage = stageWith();
      const first = await stage.ask();
      stage.decide(idOf(first), status);
      expect(await stage.wait(first.id)).toMatchObject({ status });
      expect(await stage.ask()).toMatchObject({ status: 'PENDING' });
    },
  );

  test('an hour later asks twice', async () => {
    const stage = stageWith();
    const first = await stage.ask();
    stage.decide(idOf(first), 'APPROVED');
    stage.pass(60 * MINUTE_MS);
    const second = await stage.ask();
    expect(second).toMatchObject({ status: 'PENDING', approved: false });
    expect(idOf(second)).not.toBe(idOf(first));
  });

  test('asks anew after it was withdrawn by the agent', async () => {
    const stage = stageWith();
    const first = await stage.ask();
    await stage.tools().withdraw({ id: first.id }, CONTEXT);
    expect(await stage.ask()).toMatchObject({ status: 'PENDING' });
    const task = await stage.tools().readTask(first.id, CONTEXT);
    expect(task).toMatchObject({ status: 'cancelled' });
  });

  test('is another one with other words, or of somebody else', async () => {
    const stage = stageWith();
    const ids = [
      await stage.ask(),
      await stage.ask({ message: 'now' }),
      await stage.ask({ reviewers: ['U0ANA'] }),
      await stage.ask({}, 'other agents'),
    ].map(idOf);
    expect(new Set(ids).size).toBe(4);
  });

  test('has a request of its own after twenty', async () => {
    const stage = stageWith();
    for (let count = 0; count < 21; count += 1) {
      const { id } = await stage.ask();
      stage.decide(idOf({ id }), 'APPROVED');
      expect(await stage.wait(id)).toMatchObject({ approved: true });
    }
    expect(stage.asked.at(-1)).toMatch(/^agent\/[0-9a-f]{64}\/[0-9a-f-]{36}$/);
  });
});

describe('an approval', () => {
  test('goes to one call, which gets it again', async () => {
    const stage = stageWith();
    const [first, second] = [await stage.ask(), await stage.ask()];
    stage.decide(idOf(first), 'APPROVED');
    expect(await stage.wait(second.id)).toMatchObject({ status: 'APPROVED', approved: true });
    const late = await stage.wait(first.id);
    expect(late).toMatchObject({ status: 'USED', approved: false });
    expect(late.text).toMatch(/not for this call.*Nothing is approved\.$/);
    expect(await stage.wait(second.id)).toMatchObject({ approved: true });
    // Whoever has the id alone is another call.
    expect(await stage.wait(idOf(first))).toMatchObject({ approved: false });
    const task = await stage.tools().readTask(first.id, CONTEXT);
    expect(task.result?.structuredContent).toMatchObject({ approved: false });
  });

  test('is left to the next call by one whose client has left', async () => {
    const stage = stageWith();
    const first = await stage.ask();
    stage.decide(idOf(first), 'APPROVED');
    const gone = { ...CONTEXT, signal: AbortSignal.abort() };
    const lost = factsIn(await stage.tools().wait({ id: first.id }, gone));
    expect(lost).toMatchObject({ text: 'The call was interrupted. Nothing is approved.' });
    expect(await stage.ask()).toMatchObject({ approved: true });
  });

  test('of a key of its own can be resumed, and its key is named', async () => {
    const stage = stageWith();
    const first = await stage.ask({ key: 'agents/7' });
    expect(first).toMatchObject({ id: '0-0', facts: { key: 'agents/7' } });
    stage.decide('0-0', 'APPROVED');
    for (const again of [await stage.wait('0-0'), await stage.ask({ key: 'agents/7' })]) {
      expect(again).toMatchObject({ id: '0-0', approved: true, facts: { key: 'agents/7' } });
    }
  });

  test('is not handed out again to whoever names the key of a call', async () => {
    const stage = stageWith();
    const first = await stage.ask();
    stage.decide(idOf(first), 'APPROVED');
    expect(await stage.wait(first.id)).toMatchObject({ approved: true });
    expect(await stage.ask({ key: first.facts.key })).toMatchObject({ approved: false });
  });
});

describe('while Gatepost cannot answer', () => {
  const away = () => new GateError('unreached', 'Gatepost cannot answer now (503).');

  test('a call is tried again', async () => {
    const stage = stageWith();
    const { id } = await stage.ask();
    stage.decide(idOf({ id }), 'APPROVED');
    stage.failures.push(away(), away());
    expect(await stage.wait(id)).toMatchObject({ approved: true });
  });

  test('a wait says that nothing is known, and a task fails', async () => {
    const stage = stageWith();
    const { id } = await stage.ask();
    stage.decide(idOf({ id }), 'APPROVED');
    stage.failures.push(...Array.from({ length: 8 }, away));
    const waited = await stage.wait(id);
    expect(waited).toMatchObject({ status: 'PENDING', approved: false });
    expect(waited.text).toContain('This is no denial and no approval.');
    await expect(stage.tools().readTask(id, CONTEXT)).rejects.toThrow('cannot answer now');
  });

  test('an unexpected error is no approval, and does not show itself', async () => {
    const stage = stageWith();
    const { id } = await stage.ask();
    stage.failures.push(new Error('whsec_secret') as GateError); // as: what nobody expects
    const { text, isError } = await stage.wait(id);
    expect({ text, isError }).toEqual({
      text: 'Something went wrong. Nothing is approved.',
      isError: true,
    });
    expect(stage.wrong).toHaveLength(1);
  });
});

describe('the task of an approval', () => {
  test.each([
    ['APPROVED', 'APPROVED by U0ANA. Do exactly what was approved'],
    ['REJECTED', 'REJECTED by U0ANA. Do not do it'],
    ['TIMED_OUT', 'nobody decided in time. It is neither approved nor rejected.'],
  ] as const)('is completed by %s, with the right message', async (status, words) => {
    const stage = stageWith();
    const { id } = await stage.ask();
    stage.decide(idOf({ id }), status);
    const task = await stage.tools().readTask(id, CONTEXT);
    expect(task).toMatchObject({ taskId: id, status: 'completed' });
    expect(task.statusMessage).toContain(words);
    expect(task.result?.structuredContent?.approved === true).toBe(status === 'APPROVED');
  });

  test.each([
    ['BLOCKED', 'Slack refused the message'],
    ['UNKNOWN', 'has not given a final status yet'],
  ] as const)('stays open for %s, which can still be decided', async (status, words) => {
    const stage = stageWith();
    const { id } = await stage.ask();
    stage.decide(idOf({ id }), status);
    const task = await stage.tools().readTask(id, CONTEXT);
    expect(task.status).toBe('working');
    expect(task.statusMessage).toContain(words);
  });

  test('says that only its requester can decide it', async () => {
    const stage = stageWith();
    const { id } = await stage.ask();
    stage.change(idOf({ id }), { status: 'BLOCKED', blocked: 'only-requester' });
    const words = 'Only its requester can decide it: nobody else is asked.';
    expect((await stage.tools().readTask(id, CONTEXT)).statusMessage).toContain(words);
    expect((await stage.wait(id)).text).toBe(`BLOCKED. ${words} It is not approved.`);
  });
});
