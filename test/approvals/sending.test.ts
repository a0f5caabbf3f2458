import { describe, expect, test } from 'vitest';
import type { Approval } from '../../src/approvals/approval.ts';
import { respond } from '../../src/approvals/decision/respond.ts';
import type { ServiceAnswers } from '../../src/approvals/decision/service-answers.ts';
import { SHOW_AFTER_MS } from '../../src/approvals/schedule.ts';
import type { StepResult } from '../../src/approvals/steps.ts';
import { messageStateOf } from '../../src/approvals/tell/message/message-state.ts';
import { showSending } from '../../src/approvals/tell/update.ts';
import { FRESH_MS } from '../../src/core/engine/attempt.ts';
import { RemoteFailure } from '../../src/core/lib/failure.ts';
import type { Timers } from '../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../src/core/lib/timing.ts';
import type { ServiceClient } from '../../src/core/service/service-client.ts';
import type { Outbox } from '../../src/core/slack/outbox.ts';
import { coreWith, NO_BOX } from '../support/core-with.ts';
import { fake } from '../support/fake.ts';
import { withResolvers } from '../support/with-resolvers.ts';
import {
  applied,
  approvalWith,
  attempted,
  DECIDING,
  LINKS,
  NO_STEPS,
  NOW,
  routeWith,
  termsWith,
} from './approvals.ts';

/** While a decision is sent the message says so if it takes long, and never after its end. */

const step = { kind: 'respond', plannedAt: NOW } as const;
const phase = { name: 'send', askedAt: NOW, sends: DECIDING.phase.sends } as const;
const begun = attempted(approvalWith({ decision: { ...DECIDING, phase } }), step, NOW);
const APPROVED = { status: 'APPROVED', raw: null, resolvedAt: null, prompt: null } as const;

/** Sends the decision; the test says when a second has passed and when each call has ended. */
function sent({ pausedMs = 0, failure }: { pausedMs?: number; failure?: RemoteFailure } = {}) {
  const answer = withResolvers();
  const update = withResolvers();
  const shown: string[] = [];
  let now = 0;
  let isCalledOff = false;
  let pass = () => {};
  const dependencies = coreWith({
    ...NO_STEPS,
    service: {
      approvals: fake<ServiceClient['approvals']>({
        respond: () => answer.promise.then(() => APPROVED),
      }),
    },
    outbox: fake<Outbox>({
      update: ({ text = '' }) => {
        shown.push(text);
        return update.promise.then(() => {
          if (failure !== undefined) throw failure;
        });
      },
    }),
    timers: fake<Timers>({
      after(ms, callback) {
        expect(ms).toBe(SHOW_AFTER_MS);
        pass = () => {
          now += ms + pausedMs;
          callback();
        };
        return () => {
          isCalledOff = true;
        };
      },
    }),
    timing: TRUE_TIME,
    ages: { monotonic: () => now },
    serviceAnswers: fake<ServiceAnswers>({ heard: async () => {} }),
    box: NO_BOX,
    links: LINKS,
    config: { routes: [routeWith()], sources: [], service: null },
  });
  let ended: StepResult | undefined;
  const result = respond(showSending)
    .execute(dependencies, '0-abc', begun, step)
    .then((end) => {
      ended = end;
      return end;
    });
  return {
    ...{ answer, update, shown, result },
    pass: () => pass(),
    isCalledOff: () => isCalledOff,
    /** Once all promises that can continue have done so. */
    ended: () => new Promise((resolve) => setImmediate(() => resolve(ended))),
  };
}

const after = (result: StepResult): Approval => applied(begun, step, result, NOW + 3_000);

describe('while a decision is being sent', () => {
  test('the message does not change if the service answers within a second', async () => {
    const { answer, result, shown, isCalledOff, pass } = sent();
    answer.resolve();
    expect(await result).not.toHaveProperty('sending');
    expect(isCalledOff()).toBe(true);
    pass();
    expect(shown).toEqual([]);
  });

  test('the message says “sending” after a second, and that update ends before the outcome is applied', async () => {
    const { answer, update, result, shown, pass, ended } = sent();
    pass();
    answer.resolve();
    expect(await ended()).toBeUndefined();
    expect(shown).toEqual(['Sending a decision: Deploy 4.2']);
    update.resolve();
    const end = await result;
    expect(end).toMatchObject({ sending: 'shown' });
    const { outcome, update: trouble } = after(end);
    expect(outcome?.status).toBe('APPROVED');
    expect(trouble).toBeUndefined();
  });

  test('an update that may arrive late is repeated after the outcome', async () => {
    const failure = new RemoteFailure('chat.update', { class: 'ambiguous', code: 'timeout' });
    const { answer, update, result, pass } = sent({ failure });
    pass();
    answer.resolve();
    update.resolve();
    const data = after(await result);
    expect(data.update?.againAt).toBe(NOW + 3_000 + TRUE_TIME.renderAgainMs);
    expect(messageStateOf(data, termsWith(), NOW + 4_000)).toMatchObject({ name: 'decided' });
  });

  test('a process that was paused shows nothing, because another may have shown the outcome', async () => {
    const { answer, result, shown, pass } = sent({ pausedMs: FRESH_MS + 1 });
    pass();
    answer.resolve();
    expect(await result).not.toHaveProperty('sending');
    expect(shown).toEqual([]);
  });
});

describe('the “sending” of a process that lost the record meanwhile', () => {
  const late = (sending?: 'shown') => {
    const outcome = { status: 'APPROVED', credit: 'none', by: [], learnedAt: NOW } as const;
    const end = { kind: 'status', answer: APPROVED } as const;
    const result: StepResult = { kind: 'responded', end, ...(sending && { sending }) };
    return applied(approvalWith({ outcome, shown: 'decided' }), step, result, NOW + 20_000);
  };

  test('may overwrite the outcome that another process showed, so the update is repeated', () => {
    expect(late('shown').update?.againAt).toBe(NOW + 20_000 + TRUE_TIME.renderAgainMs);
  });

  test('was not shown, so nothing is repeated', () => {
    expect(late().update).toBeUndefined();
  });
});
