import { expect } from 'vitest';
import { ANA, BEN, CLEO, effectsOf, type Stage, startStage } from './stage.ts';
import { story } from './story.ts';

/** An approval that waits for a moment, in which it can be undone. */

const startHolding = (holdMs: number, quorum = 1) =>
  startStage({
    route: {
      identity: 'omit',
      hold: holdMs,
      quorum,
      reviewers: { users: [ANA, BEN, CLEO], groups: [], channel: false },
    },
  });

const HELD = /<@U0ANA> approved\* · will be sent at /;

function answered({ sandbox }: Stage, user: string, pattern: RegExp): Promise<boolean> {
  const told = () => sandbox.workspace.ephemerals(user).some(({ text = '' }) => pattern.test(text));
  return sandbox.until(told, { what: `${pattern} for ${user}` });
}

story(
  'held nothing-twice nobody-without-answer',
  'an approval is sent once, after its hold',
  async () => {
    await using stage = await startHolding(2_000);
    const { ts, token } = await stage.ask();
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, HELD);
    expect(stage.read(ts)).not.toMatch(/Approve\b(?!d)/);
    expect(effectsOf(stage, token)).toEqual([]);
    await stage.until(ts, /Approved by <@U0ANA>\*$/m);
    expect(effectsOf(stage, token)).toEqual(['approve']);
  },
);

story(
  'held undone nobody-without-answer',
  'Undo takes back an approval before it is sent, for its author only',
  async () => {
    await using stage = await startHolding(60_000);
    const { ts, token } = await stage.ask();
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, HELD);
    await stage.click(BEN, ts, 'Undo');
    await answered(stage, BEN, /^You have no approval of /);
    await stage.click(ANA, ts, 'Undo');
    await answered(stage, ANA, /^You took back your approval of /);
    await stage.until(ts, /Waiting for/);
    expect(effectsOf(stage, token)).toEqual([]);
    await stage.click(BEN, ts, 'Reject');
    await stage.until(ts, /Rejected by <@U0BEN>/);
    expect(effectsOf(stage, token)).toEqual(['reject']);
  },
);

story(
  'held nobody-without-answer',
  'a rejection ends the hold and decides, and the approver is told',
  async () => {
    await using stage = await startHolding(60_000);
    const { ts, token } = await stage.ask();
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, HELD);
    await stage.click(CLEO, ts, 'Reject');
    await stage.until(ts, /Rejected by <@U0CLEO>/);
    expect(effectsOf(stage, token)).toEqual(['reject']);
    await answered(stage, ANA, /^<@U0CLEO> rejected .* before your approval took effect\.$/);
  },
);
