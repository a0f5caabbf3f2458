import { expect } from 'vitest';
import type { ServiceFault } from '../../sandbox/service/service-handle.ts';
import type { Variant } from '../../sandbox/service/variant.ts';
import {
  ANA,
  ANAS_ACCOUNT,
  BEN,
  effectsOf,
  quietMsOf,
  respondsOf,
  sentenceFor,
  startStage,
} from './stage.ts';
import { story } from './story.ts';

/** A decision was sent and its result is not clear. */

interface Mishap extends Omit<ServiceFault, 'operation' | 'ms'> {
  readonly name: string;
  /** How much longer the answer takes than the caller waits. */
  readonly lateMs?: number;
}

const TAKEN: readonly (Mishap & { readonly dialect: Partial<Variant> })[] = [
  {
    name: 'whose connection broke',
    kind: 'dropAfter',
    dialect: { wrapped: true, statusField: 'state' },
  },
  {
    name: 'that took too long',
    kind: 'slowAnswer',
    lateMs: 2_000,
    dialect: { usedTokenPost: 404, resolvedAtInGet: false },
  },
  {
    name: 'that arrived too late',
    kind: 'latency',
    lateMs: 1_000,
    dialect: { usedTokenPost: 200 },
  },
  { name: 'that could not be read', kind: 'unreadable', dialect: {} },
];

for (const { name, dialect, lateMs, ...fault } of TAKEN) {
  story(
    'respond-ambiguous respond-unreadable no-message-lies nothing-twice dialects',
    `a decision ${name} is found accepted, and the message does not say whose it was`,
    async () => {
      await using stage = await startStage();
      stage.sandbox.service.setVariant(dialect);
      const { ts, token } = await stage.ask();
      const slow = lateMs === undefined ? {} : { ms: stage.timing.stepMs + lateMs };
      stage.sandbox.service.fault({ ...fault, ...slow, operation: 'respond', times: 1 });
      await stage.click(ANA, ts, 'Approve');
      const text = await stage.until(ts, /\*Approved\*/);
      expect(text).toContain(
        'The decision of <@U0ANA> was sent. The service did not say whose decision it accepted.',
      );
      expect(text).not.toContain('Approved by');
      expect(effectsOf(stage, token)).toEqual(['approve']);
      expect(respondsOf(stage, token)).toHaveLength(1);
      expect(await sentenceFor(stage, ANA)).toMatch(
        /^Request \*.+\* is approved\. The decision of/,
      );
    },
  );
}

/** One of them runs in real time. */
const NOT_TAKEN: readonly (Mishap & { readonly scale?: 1 })[] = [
  { name: 'lost on the way', kind: 'dropBefore', scale: 1 },
  { name: 'answered with 500', kind: '500' },
  { name: 'answered with a page of a proxy', kind: 'html' },
  { name: 'cut off', kind: 'reset' },
];

for (const { name, scale, ...fault } of NOT_TAKEN) {
  story.long(
    'respond-ambiguous no-click-lost nothing-twice',
    `a decision ${name} is sent again if the service is still waiting after the quiet time`,
    async () => {
      await using stage = await startStage({ ...(scale && { scale }) });
      const { ts, token } = await stage.ask();
      stage.sandbox.service.fault({ ...fault, operation: 'respond', times: 1 });
      await stage.click(ANA, ts, 'Reject');
      await stage.until(ts, /has not confirmed <@U0ANA>'s (approval|rejection)/);
      await stage.until(ts, /Rejected by <@U0ANA>/);
      const sent = stage.sandbox.service.requests('respond');
      expect(sent.map(({ body }) => body)).toMatchObject([
        { action: 'reject' },
        { action: 'reject' },
      ]);
      expect((sent[1]?.at ?? 0) - (sent[0]?.at ?? 0)).toBeGreaterThanOrEqual(quietMsOf(stage));
      expect(effectsOf(stage, token)).toEqual(['reject']);
    },
  );
}

story.long(
  'respond-ambiguous people-active no-message-lies nobody-without-answer',
  'a lost decision is not sent again for a person deactivated in the meantime',
  async () => {
    await using stage = await startStage();
    const { service } = stage.sandbox;
    const { ts, token } = await stage.ask();
    service.fault({ kind: 'dropBefore', operation: 'respond', times: 1 });
    await stage.click(ANA, ts, 'Approve');
    await stage.sandbox.until(() => respondsOf(stage, token).length === 1);
    service.setUser(ANAS_ACCOUNT, { active: false });
    expect(await stage.until(ts, /Unknown/)).toMatch(/Check now$/);
    expect(await sentenceFor(stage, ANA)).toBe(
      'Request *Deploy to production?*: The decision may not have reached the service. It was not sent again: your account in the service was deactivated. Press Check now to check again.',
    );
    await stage.until(ts, /Waiting/);
    expect(respondsOf(stage, token)).toHaveLength(1);
    expect(effectsOf(stage, token)).toEqual([]);
  },
);

story.long(
  'respond-ambiguous no-message-lies nobody-without-answer',
  'a decision that fails unclearly twice is unknown, not failed, until the service returns PENDING',
  async () => {
    // Slow enough for the steps before the service is asked again.
    await using stage = await startStage({ scale: 0.4 });
    const { ts, token } = await stage.ask();
    stage.sandbox.service.fault({ kind: '500', operation: 'respond' });
    await stage.click(ANA, ts, 'Approve');
    const text = await stage.until(ts, /Unknown/);
    expect(text).toContain("<@U0ANA>'s approval may not have reached the service.");
    expect(text).toMatch(/Check now$/);
    expect(text).not.toMatch(/\nApprove|\nReject/);
    expect(await sentenceFor(stage, ANA)).toMatch(
      /^Request \*.+\*: The decision may not have reached/,
    );
    expect(respondsOf(stage, token)).toEqual([500, 500]);
    stage.sandbox.service.clearFaults();
    await stage.click(BEN, ts, 'Check now');
    await stage.until(ts, /Waiting/);
    expect(await sentenceFor(stage, BEN)).toBe(
      'Request *Deploy to production?* still needs a decision.',
    );
    await stage.sandbox.until(() => stage.told(ANA).length === 2);
    expect(stage.told(ANA)[1]).toBe('Request *Deploy to production?* still needs a decision.');
    await stage.click(BEN, ts, 'Reject');
    await stage.until(ts, /Rejected by <@U0BEN>/);
    expect(effectsOf(stage, token)).toEqual(['reject']);
  },
);

story(
  'respond-ambiguous no-message-lies',
  'a lost decision is not credited if the opposite was decided elsewhere',
  async () => {
    await using stage = await startStage();
    const { ts, token } = await stage.ask();
    stage.sandbox.service.fault({ kind: 'dropBefore', operation: 'respond', times: 1 });
    await stage.click(ANA, ts, 'Approve');
    await stage.sandbox.until(() => respondsOf(stage, token).length === 1);
    await stage.until(ts, /has not confirmed <@U0ANA>'s (approval|rejection)/);
    stage.sandbox.service.decide(token, 'reject');
    const text = await stage.until(ts, /Rejected elsewhere/);
    expect(text).not.toContain('<@U0ANA>');
    expect(await sentenceFor(stage, ANA)).toMatch(
      /^Request \*.+\* was (already )?rejected elsewhere/,
    );
    expect(respondsOf(stage, token)).toHaveLength(1);
  },
);

story(
  'respond-unreadable respond-ambiguous look-gone look-check-now no-message-lies',
  'a decision with an unclear response is unknown while the service hides used tokens',
  async () => {
    for (const kind of ['dropAfter', 'unreadable'] as const) {
      await using stage = await startStage();
      const { service } = stage.sandbox;
      service.setVariant({ usedTokenPost: 410, usedTokenGet: 410 });
      const { ts, token } = await stage.ask();
      service.fault({ kind, operation: 'respond', times: 1 });
      await stage.click(ANA, ts, 'Approve');
      const text = await stage.until(ts, /Unknown/);
      expect(text).toMatch(
        /The service no longer shows this request\. It says: “.+” It is not known whether <@U0ANA>'s approval was accepted\./,
      );
      expect(await sentenceFor(stage, ANA)).toMatch(
        /It is not known whether your approval was accepted\. Press Check now/,
      );
      service.setVariant({ usedTokenGet: 200 });
      await stage.click(BEN, ts, 'Check now');
      expect(await stage.until(ts, /\*Approved\*/)).toContain('The decision of <@U0ANA> was sent');
      expect(effectsOf(stage, token)).toEqual(['approve']);
    }
  },
);
