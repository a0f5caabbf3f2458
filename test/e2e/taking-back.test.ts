import { expect } from 'vitest';
import { DEPLOYS, listing, textsOf } from '../support/world.ts';
import {
  ANA,
  BEN,
  effectsOf,
  respondsOf,
  type Stage,
  type StageOptions,
  startStage,
} from './stage.ts';
import { story } from './story.ts';

/** What somebody presses who approved by mistake, and need not reject for everybody. */

const BUTTON = 'Take back approval';
const TAKEN = 'You took back your approval of *Deploy 4.2*. 2 more approvals are needed.';
const NOTHING = 'You have no approval of *Deploy 4.2* to take back.';
const QUESTION = { title: 'Deploy 4.2', message: 'Ready?' };

const startOfTwo = (options: StageOptions = {}) =>
  startStage({ route: { quorum: 2 }, config: listing, ...options });

/** Ana approves; gives the message that only she sees, with the button. */
async function approved(stage: Stage, ts: string): Promise<string> {
  const { workspace } = stage.sandbox;
  const before = workspace.ephemerals(ANA).length;
  await stage.click(ANA, ts, 'Approve');
  await stage.until(ts, /1 of 2 approvals \(<@U0ANA>\)/);
  await stage.sandbox.until(() => workspace.ephemerals(ANA).length > before, { what: 'words' });
  return workspace.ephemerals(ANA).at(-1)?.ts ?? '';
}

async function toldNext(stage: Stage, count: number): Promise<string | undefined> {
  await stage.sandbox.until(() => stage.told(ANA).length >= count, {
    what: `${count} sentences: ${stage.told(ANA).join('|')}`,
  });
  return stage.told(ANA)[count - 1];
}

const shownIn = (stage: Stage, surface: 'modal' | 'home') => {
  const { workspace } = stage.sandbox;
  const view = surface === 'modal' ? workspace.modal(ANA) : workspace.home(ANA);
  return textsOf(view?.blocks ?? []).join('\n');
};

async function until(stage: Stage, surface: 'modal' | 'home', pattern: RegExp): Promise<string> {
  await stage.sandbox.until(() => pattern.test(shownIn(stage, surface)), {
    what: `${pattern} in ${surface}: ${shownIn(stage, surface)}`,
    timeoutMs: 60_000,
  });
  return shownIn(stage, surface);
}

async function pressIn({ sandbox }: Stage, surface: 'modal' | 'home', label: string) {
  const delivery = await sandbox.workspace.click({ user: ANA, surface, label });
  expect(delivery).toMatchObject({ acknowledged: true });
}

story(
  'click-take-back nobody-without-answer no-message-lies',
  'an approval is taken back once, with the button below the reply',
  async () => {
    await using stage = await startOfTwo();
    const { ts, token, id } = await stage.ask(QUESTION);
    const own = await approved(stage, ts);
    expect(stage.read(ts)).not.toContain(BUTTON);
    const press = { user: ANA, channel: DEPLOYS, ts: own, label: BUTTON } as const;
    const { workspace, automation } = stage.sandbox;
    const delivery = await workspace.click({ ...press, twice: 'pressed' });
    expect([delivery.acknowledged, delivery.second?.acknowledged]).toEqual([true, true]);
    await stage.until(ts, /0 of 2 approvals/);
    // In the place of the answer, whose button is gone with it.
    await toldNext(stage, 2);
    expect(stage.told(ANA).toSorted()).toEqual([NOTHING, TAKEN].toSorted());
    expect(await automation.status(id)).toMatchObject({
      body: { status: 'PENDING', approvals: 0, ballots: [] },
    });
    // Nobody's approval counts until somebody presses again.
    await stage.click(BEN, ts, 'Approve');
    await stage.until(ts, /1 of 2 approvals \(<@U0BEN>\)/);
    expect(respondsOf(stage, token)).toEqual([]);
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0BEN> and <@U0ANA>/);
    expect(effectsOf(stage, token)).toEqual(['approve']);
  },
);

story(
  'click-take-back click-once',
  'a press that is delivered twice takes an approval back once',
  async () => {
    await using stage = await startOfTwo();
    const { ts } = await stage.ask(QUESTION);
    const own = await approved(stage, ts);
    const press = { user: ANA, channel: DEPLOYS, ts: own, label: BUTTON } as const;
    await stage.sandbox.workspace.click({ ...press, twice: 'delivered' });
    await stage.until(ts, /0 of 2 approvals/);
    await stage.sandbox.until(() => stage.told(ANA).includes(TAKEN), { what: TAKEN });
    await approved(stage, ts);
    expect(stage.told(ANA)).not.toContain(NOTHING);
  },
);

story(
  'click-take-back message-details',
  'an approval is taken back from the details, which show the button only to its author',
  async () => {
    await using stage = await startOfTwo();
    const { ts, token } = await stage.ask(QUESTION);
    await approved(stage, ts);
    await stage.pick(BEN, ts, 'Details…');
    const { workspace } = stage.sandbox;
    const seen = () => textsOf(workspace.modal(BEN)?.blocks ?? []).join('\n');
    await stage.sandbox.until(() => /pressed Approve/.test(seen()));
    expect(seen()).not.toContain(BUTTON);
    await stage.pick(ANA, ts, 'Details…');
    await until(stage, 'modal', new RegExp(BUTTON));
    await pressIn(stage, 'modal', BUTTON);
    expect(await until(stage, 'modal', /taking back/)).toBe(
      "Gatepost is taking back your approval of *Deploy 4.2*. You'll get the result as a direct message.",
    );
    await stage.until(ts, /0 of 2 approvals/);
    await stage.sandbox.until(() => workspace.directMessages(ANA).length === 1);
    expect(stage.told(ANA)).toContain(TAKEN);
    expect(respondsOf(stage, token)).toEqual([]);
    await workspace.closeModal({ user: ANA });
    await stage.pick(ANA, ts, 'Details…');
    const after = await until(stage, 'modal', /took back/);
    expect(after).toMatch(/<@U0ANA> pressed Approve[\s\S]*<@U0ANA> took back their approval/);
    expect(after).not.toContain(BUTTON);
  },
);

story(
  'click-take-back home-decides home-fresh',
  'an approval is taken back on the Home tab, where the button replaces Approve',
  async () => {
    await using stage = await startOfTwo();
    const { ts } = await stage.ask(QUESTION);
    const { workspace, until: untilSo } = stage.sandbox;
    const isListed = () => /Approve\nReject\nReview/.test(shownIn(stage, 'home'));
    for (let tries = 0; tries < 20 && !isListed(); tries += 1) {
      workspace.openHome(ANA);
      await untilSo(isListed, { timeoutMs: 3_000 }).catch(() => {});
    }
    await pressIn(stage, 'home', 'Approve');
    const home = await until(stage, 'home', /You approved, waiting for 1 more/);
    expect(home).toMatch(new RegExp(`Ready\\?\n${BUTTON}\nReject\nReview`));
    await pressIn(stage, 'home', BUTTON);
    await stage.until(ts, /0 of 2 approvals/);
    await until(stage, 'home', /Approve\nReject\nReview/);
    await stage.sandbox.until(() => stage.told(ANA).includes(TAKEN));
    await pressIn(stage, 'home', 'Review');
    await until(stage, 'modal', /Approve\nReject/);
  },
);

story(
  'click-take-back nobody-without-answer',
  'an approval used by a decision cannot be taken back: the person is told, and the decision continues',
  async () => {
    // Half a minute is tried, at true time.
    await using stage = await startOfTwo({ hasDoor: true, scale: 1 });
    const { ts, token } = await stage.ask(QUESTION);
    const own = await approved(stage, ts);
    stage.door.answer((call) => (call === 'look' ? { status: 503 } : undefined));
    await stage.click(BEN, ts, 'Approve');
    await stage.until(ts, /<@U0BEN>'s approval has not been sent yet/);
    const { workspace } = stage.sandbox;
    await workspace.click({ user: ANA, channel: DEPLOYS, ts: own, label: BUTTON });
    expect(await toldNext(stage, 2)).toBe(
      'Request *Deploy 4.2* is being decided with your approval. Your approval is taken back only if that decision cannot be carried out.',
    );
    expect(respondsOf(stage, token)).toEqual([]);
    stage.door.answer(null);
    await stage.until(ts, /Approved by <@U0ANA> and <@U0BEN>/);
    expect(effectsOf(stage, token)).toEqual(['approve']);
  },
);
