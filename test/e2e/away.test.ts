import { expect, vi } from 'vitest';
import type { Message } from '../../sandbox/wire.ts';
import { sendSigned, signedHeaders } from '../support/signed-press.ts';
import { DEPLOYS, readable, textsOf } from '../support/world.ts';
import { ANA, BEN, CLEO, type Stage, type StageOptions, startStage } from './stage.ts';
import { story } from './story.ts';

/** What people who are away, and their substitutes, type, press and read. */

const startOfSubstitutes = (options: StageOptions = {}) =>
  startStage({ route: { identity: 'omit', substitutes: true }, ...options });

const timeless = (text: string) =>
  text
    .replace(/<!date[^>]*>/g, 'a time')
    .replace(/[A-Z][a-z]+day \d+ [A-Z][a-z]+(?: \d{4})?, \d\d:\d\d, your time/g, 'a time')
    .replace(/<http[^|]*\|([^>]*)>/g, '$1');

/** The same, retried when the machine was too slow to check something, as the answer asks. */
async function typed(stage: Stage, user: string, words: string): Promise<string> {
  let answer = await typedOnce(stage, user, words);
  for (let tries = 1; tries < 5 && /Try again in a minute/.test(answer); tries += 1) {
    answer = await typedOnce(stage, user, words);
  }
  return answer;
}

/** The person types the command; returns the reply, a line for each text and button. */
async function typedOnce(stage: Stage, user: string, words: string): Promise<string> {
  const { workspace, until } = stage.sandbox;
  const before = workspace.ephemerals(user).length;
  const text = `/approvals ${words}`;
  const delivery = await workspace.command({ user, channel: DEPLOYS, text });
  expect(delivery).toMatchObject({ acknowledged: true, shown: null });
  await until(() => workspace.ephemerals(user).length > before, { what: `an answer to ${text}` });
  return lastAnswer(stage, user);
}

/** As people read it: the text counts only without blocks. */
const said = (message: Message | undefined) =>
  timeless((message?.blocks ?? []).length > 0 ? readable(message) : (message?.text ?? ''));

function lastAnswer({ sandbox }: Stage, user: string): string {
  return said(sandbox.workspace.ephemerals(user).at(-1));
}

const direct = ({ sandbox }: Stage, user: string) =>
  sandbox.workspace.directMessages(user).map(said);

async function toldDirectly(stage: Stage, user: string, pattern: RegExp): Promise<string> {
  const found = () => direct(stage, user).find((text) => pattern.test(text));
  await stage.sandbox.until(() => found() !== undefined, {
    what: `${pattern} for ${user}: ${direct(stage, user).join('|')}`,
    timeoutMs: 60_000,
  });
  return found() ?? '';
}

/** The person presses a button of the newest direct message that has it. */
async function pressDirectly(
  { sandbox }: Stage,
  user: string,
  label: string,
  twice?: 'pressed' | 'delivered',
) {
  const { workspace } = sandbox;
  const ts = workspace.directMessages(user).findLast((each) => readable(each).includes(label))?.ts;
  const channel = `D${user.slice(1)}`;
  return workspace.click({ user, channel, ts: ts ?? '', label, ...(twice && { twice }) });
}

async function pressAnswer({ sandbox }: Stage, user: string, label: string) {
  const { ts = '', channel = '' } = sandbox.workspace.ephemerals(user).at(-1) ?? {};
  const delivery = await sandbox.workspace.click({ user, channel, ts, label });
  expect(delivery).toMatchObject({ acknowledged: true });
}

async function answered(stage: Stage, user: string, pattern: RegExp): Promise<string> {
  await stage.sandbox.until(() => pattern.test(lastAnswer(stage, user)), {
    what: `${pattern}: ${lastAnswer(stage, user)}`,
  });
  return lastAnswer(stage, user);
}

async function homeShows(stage: Stage, user: string, pattern: RegExp): Promise<string> {
  const { workspace, until } = stage.sandbox;
  const shown = () => timeless(textsOf(workspace.home(user)?.blocks ?? []).join('\n'));
  await until(() => pattern.test(shown()), {
    what: `${pattern} on the Home tab of ${user}: ${shown()}`,
    timeoutMs: 60_000,
  });
  return shown();
}

const NAMED = /named you as substitute/;
const OWN = '*You are away until a time.* Requests do not mention you by name until then.';
const BOTH = '*Waiting for* <@U0ANA> or <@U0BEN>';

story(
  'away-set away-told away-back',
  'an absent reviewer is not mentioned, their substitute is told, and both change when they are back',
  async () => {
    await using stage = await startOfSubstitutes();
    const { ts } = await stage.ask({ title: 'Deploy 4.2' });
    expect(stage.read(ts)).toContain(BOTH);
    expect(await typed(stage, ANA, 'away until tomorrow @cleo')).toBe(
      `${OWN} <@U0CLEO> stands in for you. They will be told, and can decline.\nI'm back`,
    );
    expect(await toldDirectly(stage, CLEO, NAMED)).toBe(
      [
        '*You stand in for Ana until a time: they named you as substitute.*',
        'Until then you can approve or reject requests in their place, on routes that allow substitutes.',
        'If you cannot do that, press *Decline*. They will be told.',
        'Decline',
      ].join('\n'),
    );
    await stage.until(ts, /Waiting for\* <@U0CLEO> or <@U0BEN>/);
    await pressAnswer(stage, ANA, "I'm back");
    expect(await answered(stage, ANA, /You are back/)).toBe(
      '*You are back.* Requests mention you again. <@U0CLEO> no longer stands in for you.',
    );
    expect(await toldDirectly(stage, CLEO, /back/)).toBe(
      '*You no longer stand in for Ana.* They are back.',
    );
    await stage.until(ts, /Waiting for\* <@U0ANA> or <@U0BEN>/);
    expect(await typed(stage, ANA, 'back')).toBe('You are not away, so there is nothing to end.');
    expect(direct(stage, CLEO)).toHaveLength(2);
  },
);

story(
  'away-back',
  'a command that was held back changes nothing once its person has typed a newer one',
  async () => {
    await using stage = await startOfSubstitutes();
    const { workspace, credentials, until } = stage.sandbox;
    await typed(stage, ANA, 'away until tomorrow @cleo');
    await toldDirectly(stage, CLEO, NAMED);
    await typed(stage, ANA, 'back');
    await toldDirectly(stage, CLEO, /back/);
    const before = workspace.ephemerals(ANA).length;
    const body = new URLSearchParams({
      ...{ command: '/approvals', text: 'away until tomorrow <@U0CLEO>', trigger_id: 'held-back' },
      ...{ user_id: ANA, channel_id: DEPLOYS, team_id: workspace.bot.teamId },
      response_url: `${stage.app.url}/closed`,
    }).toString();
    const sentAt = Math.floor(Date.now() / 1000) - 60;
    const headers = signedHeaders(credentials.signingSecret, body, sentAt);
    expect(await sendSigned(stage.app.url, { body, headers })).toBe(200);
    await until(() => workspace.ephemerals(ANA).length > before, { what: 'an answer' });
    expect(lastAnswer(stage, ANA)).toMatch(/^You have changed your absence since/);
    expect(await typed(stage, ANA, 'away')).toMatch(/^\*You are not away\.\*/);
    // A newer one counts.
    expect(await typed(stage, ANA, 'away until tomorrow')).toContain(OWN);
  },
);

story(
  'away-set away-told away-back',
  'typing another end or substitute changes only that, and those concerned are told',
  async () => {
    await using stage = await startOfSubstitutes();
    await typed(stage, ANA, 'away until tomorrow @cleo');
    await toldDirectly(stage, CLEO, NAMED);
    expect(await typed(stage, ANA, 'away in 2 weeks')).toBe(
      `${OWN} <@U0CLEO> stands in for you. You named them before. To name somebody else, add their @name.\nI'm back`,
    );
    await stage.sandbox.until(() => direct(stage, CLEO).length === 2, { what: 'the new end' });
    expect(await typed(stage, ANA, 'away @ben')).toBe(
      `${OWN} <@U0BEN> stands in for you. They will be told, and can decline.\nI'm back`,
    );
    await toldDirectly(stage, BEN, NAMED);
    expect(await toldDirectly(stage, CLEO, /another/)).toBe(
      '*You no longer stand in for Ana.* They named another substitute.',
    );
    expect(await typed(stage, ANA, 'Back.')).toMatch(/^\*You are back\.\*/);
    await toldDirectly(stage, BEN, /back/);
    expect(direct(stage, CLEO)).toHaveLength(3);
  },
);

story(
  'away-declined nothing-twice nobody-without-answer',
  'a substitute declines once, the absent person is told, and a late press gets an answer',
  async () => {
    await using stage = await startOfSubstitutes();
    await typed(stage, ANA, 'away until tomorrow @cleo');
    await toldDirectly(stage, CLEO, NAMED);
    const delivery = await pressDirectly(stage, CLEO, 'Decline', 'delivered');
    expect(delivery).toMatchObject({ acknowledged: true, second: { acknowledged: true } });
    expect(await toldDirectly(stage, ANA, /declined/)).toBe(
      '*Nobody stands in for you now:* Cleo declined. To name somebody else, type `/approvals away @name`.',
    );
    await toldDirectly(stage, CLEO, /You declined to stand in for <@U0ANA>/);
    expect(await typed(stage, ANA, 'away')).toBe(
      `${OWN} <@U0CLEO> declined to stand in for you.\nI'm back`,
    );
    await typed(stage, ANA, 'away @cleo');
    await toldDirectly(stage, CLEO, NAMED);
    await typed(stage, ANA, 'back');
    await toldDirectly(stage, CLEO, /They are back/);
    await pressDirectly(stage, CLEO, 'Decline');
    await toldDirectly(stage, CLEO, /You no longer stand in for <@U0ANA>, so there is nothing/);
    expect(direct(stage, ANA)).toHaveLength(1);
  },
);

story(
  'away-listed away-told',
  'people see their own absence and those they stand in for, and administrators see all',
  async () => {
    await using stage = await startOfSubstitutes({ env: { GATEPOST_ADMINISTRATORS: BEN } });
    expect(await typed(stage, BEN, 'away')).toMatch(/^\*You are not away\.\* .*\n\*Nobody is away/);
    await typed(stage, ANA, 'away until tomorrow @cleo');
    await toldDirectly(stage, CLEO, NAMED);
    await typed(stage, CLEO, 'away in 3 days');
    expect(await toldDirectly(stage, ANA, /away too/)).toBe(
      '*Your substitute Cleo is away too until a time.* To name somebody else, type `/approvals away @name`.',
    );
    expect(await typed(stage, CLEO, 'away')).toBe(
      [
        `${OWN} Nobody stands in for you.`,
        "I'm back",
        '*You stand in for <@U0ANA>* until a time.',
        'Decline',
      ].join('\n'),
    );
    expect((await typed(stage, BEN, 'away')).split('\n').slice(1)).toEqual([
      '*Away now: 2*',
      '• <@U0ANA> · until a time · Substitute: <@U0CLEO>',
      '• <@U0CLEO> · until a time · Substitute: none',
    ]);
    await pressAnswer(stage, CLEO, 'Decline');
    await toldDirectly(stage, ANA, /declined/);
    expect(await typed(stage, BEN, 'away')).toContain('<@U0CLEO> (declined)');
  },
);

story(
  'away-listed away-back away-declined',
  'the Home tab shows an absence, updates it and ends it',
  async () => {
    await using stage = await startOfSubstitutes();
    const { workspace } = stage.sandbox;
    await typed(stage, ANA, 'away until tomorrow @cleo');
    workspace.openHome(ANA);
    workspace.openHome(CLEO);
    await homeShows(
      stage,
      ANA,
      /You are away until a time.*<@U0CLEO> stands in for you\.\nI.m back/s,
    );
    await homeShows(stage, CLEO, /You stand in for <@U0ANA>\* until a time\.\nDecline/);
    await workspace.click({ user: CLEO, surface: 'home', label: 'Decline' });
    await homeShows(stage, CLEO, /^(?!.*You stand in)/s);
    await workspace.click({ user: ANA, surface: 'home', label: 'Refresh' });
    await homeShows(stage, ANA, /<@U0CLEO> declined to stand in/);
    await workspace.click({ user: ANA, surface: 'home', label: "I'm back" });
    await homeShows(stage, ANA, /^(?!.*You are away)/s);
  },
);

story(
  'away-who nobody-decides-who-may-not',
  'a substitute must be able to decide in their own right, and two people cannot stand in for each other',
  async () => {
    await using stage = await startStage({ route: { substitutes: true } });
    const { workspace } = stage.sandbox;
    const unchanged = / Nothing was changed\. Name somebody else, or leave the @name out\.$/;
    const refused = async (user: string, words: string) => {
      const answer = await typed(stage, user, words);
      expect(answer).toMatch(unchanged);
      return answer.replace(unchanged, '');
    };
    expect(await refused(ANA, 'away until tomorrow @ana')).toBe(
      'You cannot stand in for yourself.',
    );
    expect(await refused(ANA, 'away until tomorrow <@U0APP>')).toMatch(/is a bot/);
    expect(await refused(ANA, 'away until tomorrow <@U0GUS>')).toMatch(/is a guest/);
    expect(await refused(ANA, 'away until tomorrow <@U0STR>')).toMatch(/not a member/);
    expect(await refused(ANA, 'away until tomorrow <@U0NOBODY>')).toMatch(/not a member/);
    workspace.deactivate('U0DANA');
    expect(await refused(ANA, 'away until tomorrow <@U0DANA>')).toMatch(/is deactivated/);
    expect(await refused(ANA, 'away until tomorrow <@U0UNA>')).toMatch(
      /no synchronized account in the service has their address/,
    );
    expect(await refused(ANA, 'away until tomorrow <@U0IVO>')).toMatch(/account .* is deactivated/);
    expect(await typed(stage, 'U0GUS', 'away until tomorrow')).toMatch(/^Only full members/);
    expect(await typed(stage, ANA, 'away')).toMatch(/^\*You are not away/);
    await typed(stage, ANA, 'away until tomorrow @ben');
    await toldDirectly(stage, BEN, NAMED);
    expect(await refused(BEN, 'away until tomorrow @ana')).toBe(
      '<@U0ANA> is away too, until a time.',
    );
    workspace.fault({ method: 'users.info', kind: '500' });
    expect(await typedOnce(stage, ANA, 'away until tomorrow @cleo')).toBe(
      'Gatepost could not check with Slack who you are. Nothing was changed. Try again in a minute.',
    );
  },
);

story(
  'away-who away-help',
  'without a route that allows substitutes nobody can be named, but people can be away',
  async () => {
    await using stage = await startStage();
    expect(await typed(stage, ANA, 'away until tomorrow @ben')).toMatch(/^No route allows/);
    expect(await typed(stage, ANA, 'away until tomorrow')).toBe(
      `${OWN} Nobody stands in for you.\nI'm back`,
    );
  },
);

story(
  'away-help nobody-without-answer',
  'an invalid command changes nothing, and the answer says what to type',
  async () => {
    await using stage = await startOfSubstitutes();
    const example =
      'Nothing was changed. Type for example `/approvals away until Friday`, `away until 24 Dec` or `away in 3 days`: at most 90 days.';
    const answers: readonly (readonly [string, string])[] = [
      ['away until soon', `Gatepost does not understand “until soon” as a time. ${example}`],
      [
        'away until <soon> & late',
        `Gatepost does not understand “until &lt;soon&gt; &amp; late” as a time. ${example}`,
      ],
      ['away until yesterday', `“until yesterday” is in the past. ${example}`],
      [
        'away Sunday 2026-12-24',
        `The date in “Sunday 2026-12-24” is on another weekday. ${example}`,
      ],
      ['away in 200 days', `“in 200 days” is more than 90 days ahead. ${example}`],
      ['away until', `Until when are you away? ${example}`],
      ['away @ben', `Until when are you away? ${example}`],
    ];
    for (const [words, answer] of answers) expect(await typed(stage, ANA, words)).toBe(answer);
    expect(await typed(stage, ANA, 'away until 5/6')).toMatch(
      /^“until 5\/6” can mean \*\w+ \d \w+(?: \d+)?, 23:59\* or \*\w+ \d \w+(?: \d+)?, 23:59\*\. Nothing was changed\. Type the one you mean/,
    );
    expect(await typed(stage, ANA, 'away until tomorrow @nobody')).toMatch(
      /^Slack did not say who that @name is\. Nothing was changed\. .*`gatepost manifest`/,
    );
    expect(await typed(stage, ANA, 'away until tomorrow @ben @cleo')).toMatch(/^Only one person/);
    expect(await typed(stage, ANA, 'away')).toMatch(/^\*You are not away\.\* To be away, type/);
  },
);

story(
  'away-told nothing-twice away-declined',
  'a command delivered twice counts once; colleagues from another workspace can stand in and decline',
  async () => {
    await using stage = await startOfSubstitutes({
      sandbox: { enterprise: { id: 'E0ACME', name: 'Acme Group' } },
    });
    const { workspace } = stage.sandbox;
    for (const [id, globalId] of [
      [CLEO, 'W0CLEO'],
      [ANA, 'W0ANA'],
    ] as const) {
      const enterprise_user = { enterprise_id: 'E0ACME', id: globalId };
      workspace.setUser(id, { team_id: 'T0SISTER', enterprise_user });
    }
    const text = '/approvals away until tomorrow @cleo';
    await workspace.command({ user: ANA, channel: DEPLOYS, text, twice: 'delivered' });
    // Each delivery has an answer, and the second one may come late.
    const answers = () => workspace.ephemerals(ANA).length;
    await stage.sandbox.until(() => answers() === 2, { what: 'both answers' });
    expect(await toldDirectly(stage, CLEO, NAMED)).toMatch(/^\*You stand in for Ana/);
    await pressDirectly(stage, CLEO, 'Decline');
    expect(await toldDirectly(stage, ANA, /declined/)).toMatch(
      /^\*Nobody stands in for you now:\* Cleo declined/,
    );
    expect(await typed(stage, ANA, 'back')).toMatch(/^\*You are back/);
    const isBack = async () => /^\*You are not away/.test(await typed(stage, ANA, 'away'));
    await vi.waitUntil(isBack, { timeout: 60_000, interval: 50 });
    expect(direct(stage, CLEO)).toEqual([
      '*You declined to stand in for <@U0ANA>.* They will be told.',
    ]);
    expect(direct(stage, ANA)).toHaveLength(1);
  },
);
