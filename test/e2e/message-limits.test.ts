import { expect } from 'vitest';
import type { Question } from '../../sandbox/automation/automation.ts';
import { DEPLOYS, messageOf, OUTCOMES, readable } from '../support/world.ts';
import { untilAtRest } from './aftermath.ts';
import { ANA, BEN, CLEO, type Stage, startStage } from './stage.ts';
import { story } from './story.ts';

/** Texts as long as Slack and Gatepost let them be, one more, and in every script. */

const long = (length: number, of = 'x') =>
  of.repeat(Math.ceil(length / of.length)).slice(0, length);
const link = (length: number) => `https://ci.example.com/${long(length - 23)}`;
const fieldsOf = (count: number, name = 5, value = 5) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, at) => [
      long(name, `${at}-`).padEnd(name, 'n'),
      long(value, 'v'),
    ]),
  );

/** Where a text is cut, or would be refused: at the limit and beyond it. */
const EDGES: readonly Question[] = [
  ...[150, 151, 3_000].map((length) => ({ title: long(length) })),
  ...[2_500, 2_501, 3_000, 3_001].map((length) => ({ message: long(length) })),
  { message: long(2_500, '&') },
  { message: `${long(2_497)}&<>` },
  { message: `${long(2_499)}👩‍🚀 and on` },
  { title: long(75, '👩‍🚀') },
  { title: `${long(149)}👩‍🚀` },
  ...[600, 601, 2_000].map((length) => ({ link: link(length) })),
  { link: `${link(560)}?a=1&b=${long(8, '&')}` },
  ...[200, 201].map((length) => ({ requestedBy: { name: long(length) } })),
  ...[10, 11, 50].map((count) => ({ fields: fieldsOf(count) })),
  { fields: fieldsOf(10, 80, 250) },
  { fields: fieldsOf(10, 81, 251) },
  { fields: { Empty: '' } },
  {
    title: long(150, '&'),
    message: long(2_500, '<'),
    link: link(600),
    requestedBy: { name: long(200, '>') },
    fields: fieldsOf(10, 80, 250),
    expiresAt: '2031-11-21T10:00:00Z',
  },
];

/** Whether people can read the text in one piece: above or below, or begun above and continued below. */
function isShown({ sandbox }: Stage, channel: string, id: string, text: string): boolean {
  const { workspace } = sandbox;
  const message = messageOf(workspace.messages(channel), id);
  if (message === undefined) return false;
  const lines = unescaped(readable(message)).split('\n');
  const replies = workspace.thread(channel, message.ts).slice(1).map(readable).join('');
  const below = unescaped(replies).replaceAll(/[…\n]/g, '');
  const opened = (message.blocks ?? []).flatMap((block) =>
    block.type === 'actions'
      ? (block.elements as { url?: string }[]).map(({ url = '' }) => url)
      : [],
  );
  return [...lines, ...opened, below].some(
    (line) =>
      line.includes(text) ||
      (line.endsWith('…') &&
        text.startsWith(line.slice(0, -1)) &&
        below.includes(text.slice(line.length - 1))),
  );
}

function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

function textsIn({ title, message, link, requestedBy, fields }: Question): string[] {
  const all = [title, message, link, requestedBy?.name, ...Object.entries(fields ?? {}).flat()];
  return all.filter((each) => each !== undefined);
}

story(
  'message-overflow message-content',
  'texts at and beyond each limit are posted in full',
  async () => {
    await using stage = await startStage({
      sandbox: { postRate: null },
      config: (config) => ({
        ...config,
        sources: config.sources.map((source) => ({ ...source, channels: EDGES.map(channelOf) })),
      }),
    });
    const { workspace } = stage.sandbox;
    // One channel for each: posts to a channel take turns.
    const asked = await Promise.all(
      EDGES.map(async (question, at) => {
        const channel = channelOf(question, at);
        workspace.createChannel(channel, [ANA, BEN]);
        return { question, channel, ...(await stage.ask({ ...question, channel })) };
      }),
    );
    for (const { question, channel, id } of asked) {
      const isWhole = () => textsIn(question).every((text) => isShown(stage, channel, id, text));
      const what = `all of ${JSON.stringify(question).slice(0, 80)}`;
      await stage.sandbox.until(isWhole, { what });
    }
    const posts = workspace.calls('chat.postMessage');
    expect(posts.filter(({ ok }) => !ok)).toEqual([]);
  },
);

function channelOf(_: Question, at: number): string {
  return `C0EDGE${at}`;
}

story(
  'message-overflow message-content',
  'a change of 40,000 characters of four bytes is posted whole, kept and decided',
  async () => {
    await using stage = await startStage({ sandbox: { postRate: null } });
    const { workspace } = stage.sandbox;
    const lines = Array.from({ length: 400 }, (_, at) => `${1_000 + at}${'𐐀'.repeat(95)}\n`);
    const change = lines.join('');
    const letters = (text: string) => text.replaceAll(/[…\n]/g, '');
    const { ts } = await stage.ask({ change });
    await stage.until(ts, /Approve\nReject$/);
    const all = workspace.thread(DEPLOYS, ts).map(readable).join('');
    expect(letters(all)).toContain(letters(change).slice(-1_000));
    expect([...all.matchAll(/𐐀/gu)].length).toBe([...change.matchAll(/𐐀/gu)].length);
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Approved by/);
  },
);

story(
  'reason-asked message-content outcome-requester',
  'the longest possible reasons are shown in full, however many people give one',
  async () => {
    await using stage = await startStage({
      route: {
        quorum: 2,
        reason: { approve: 'required', reject: 'none' },
        reviewers: { users: [], groups: [], channel: true },
      },
    });
    const { workspace } = stage.sandbox;
    const { ts } = await stage.ask({ requestedBy: { slackUser: CLEO } });
    const reasons = { [ANA]: long(1_000, 'Ana '), [BEN]: long(1_000, 'Ben ') };
    for (const [user, reason] of Object.entries(reasons)) {
      await stage.click(user, ts, 'Approve');
      await stage.sandbox.until(() => workspace.modal(user));
      await workspace.submit({ user, values: { 'approvals.reason.text': reason } });
      await stage.sandbox.until(() => workspace.modal(user) === undefined);
      if (user === ANA) await stage.until(ts, /1 of 2/);
    }
    await stage.until(ts, /Approved by/);
    for (const reason of Object.values(reasons)) expect(stage.read(ts)).toContain(reason.trim());
    await stage.sandbox.until(() => workspace.directMessages(CLEO).length > 0);
    await untilAtRest(stage.app, 'people', 'background');
  },
);

const HEBREW = 'פריסה של גרסה 4.2 לייצור';
const ARABIC = 'نشر الإصدار 4.2 في الإنتاج';
const EMOJI = '👩‍🚀🏳️‍🌈 Δ漢字 👍🏽';
/** Turns what follows on its line, and ends what Slack's own marks began. */
const TURNING = '\u202etxet desrever\u2066';
const HALF = '\ud83d';

story(
  'message-content message-escaped outcome-channel outcome-requester',
  'texts in every script are shown as they are, and do not affect the text next to them',
  async () => {
    await using stage = await startStage({
      route: { reason: { approve: 'optional', reject: 'none' } },
    });
    const { workspace } = stage.sandbox;
    const { ts } = await stage.ask({
      title: `${HEBREW} ${EMOJI} ${TURNING} ${HALF}`,
      message: `${ARABIC}\n${EMOJI}\n${TURNING}\n${HALF}`,
      fields: { [ARABIC]: HEBREW, [EMOJI]: EMOJI },
      requestedBy: { name: `${TURNING} ${ARABIC}`, slackUser: CLEO },
      expiresAt: '2031-11-21T10:00:00Z',
    });
    const title = `${HEBREW} ${EMOJI} ⟨U+202E⟩txet desrever⟨U+2066⟩ ⟨U+D83D⟩`;
    const shown = stage.read(ts);
    expect(shown.split('\n')[0]).toBe(title);
    expect(shown).toContain(`${ARABIC}\n${EMOJI}`);
    expect(shown).toContain(`${ARABIC}: ${HEBREW}`);
    expect(shown).toContain(`${EMOJI}: ${EMOJI}`);
    expect(workspace.message(DEPLOYS, ts)?.text).toBe(`Decision needed: ${title} · asked by Cleo`);
    await stage.click(ANA, ts, 'Approve');
    await stage.sandbox.until(() => workspace.modal(ANA));
    const reason = `${HEBREW} ${EMOJI}`;
    await workspace.submit({ user: ANA, values: { 'approvals.reason.text': reason } });
    expect(await stage.until(ts, /Approved by/)).toContain(`\n${reason}`);
    await stage.sandbox.until(() => workspace.directMessages(CLEO).length > 0);
    await stage.sandbox.until(() => workspace.messages(OUTCOMES).length > 0);
    for (const message of [...workspace.directMessages(CLEO), ...workspace.messages(OUTCOMES)]) {
      expect(readable(message)).toContain(title);
    }
  },
);

story(
  'message-content message-escaped',
  'direction characters in a name are spelled out, so that the rest of the line is unaffected',
  async () => {
    await using stage = await startStage();
    const { ts } = await stage.ask({
      requestedBy: { name: `${TURNING}\n${ARABIC}` },
      expiresAt: '2031-11-21T10:00:00Z',
    });
    expect(stage.read(ts)).toContain(`Asked by ⟨U+202E⟩txet desrever⟨U+2066⟩ ${ARABIC}`);
  },
);
