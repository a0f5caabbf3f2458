import { describe, expect, vi } from 'vitest';
import type { EphemeralMessage } from '../../sandbox/wire.ts';
import type { Route } from '../../src/core/config/config.ts';
import { shortIdOf } from '../../src/core/lib/short-id.ts';
import { canStartRedis, startRedisServer } from '../support/redis.ts';
import { DEPLOYS, listing, readable } from '../support/world.ts';
import { ANA, BEN, CLEO, callSlack, type Stage, sentenceFor, startStage } from './stage.ts';
import { story } from './story.ts';

const GUEST = 'U0GUS';
const STRANGER = 'U0STR';
const ANYONE: Partial<Route> = { reviewers: { users: [], groups: [], channel: true } };
const NOTHING = 'Nothing is waiting for you, and you have no open requests.';
const HOME = "The app's Home tab lists the same requests, with buttons.";
const EMPTY = [NOTHING, HOME, 'Decided'];

/** The person types the command, and gets an answer that only they see. */
async function listFor(stage: Stage, user: string, words = ''): Promise<EphemeralMessage> {
  const { workspace, until } = stage.sandbox;
  const before = workspace.ephemerals(user).length;
  const text = `/approvals ${words}`.trim();
  const typed = await workspace.command({ user, channel: DEPLOYS, text });
  expect(typed).toMatchObject({ acknowledged: true, shown: null });
  await until(() => workspace.ephemerals(user).length > before, { what: 'an answer' });
  return lastWords(stage, user);
}

/** Types it until the answer holds all of these: where a message stands is noted after it is there. */
async function listUntil(
  stage: Stage,
  user: string,
  parts: readonly string[],
): Promise<EphemeralMessage> {
  const answer = async () => {
    const list = await listFor(stage, user);
    return parts.every((part) => readable(list).includes(part)) ? list : undefined;
  };
  return vi.waitUntil(answer, { timeout: 60_000, interval: 50 });
}

function lastWords({ sandbox }: Stage, user: string): EphemeralMessage {
  const last = sandbox.workspace.ephemerals(user).at(-1);
  if (last === undefined) throw new Error(`${user} was told nothing`);
  return last;
}

/** What the person reads, without times: a line per text and button. */
function linesOf(message: EphemeralMessage): string[] {
  const text = readable(message).replace(/<!date[^>]*>/g, 'a time');
  return text
    .split('\n')
    .map((line) => line.replace(/ · `[\w-]{9}`/, '').replace(/<http[^|]*\|(.*)>/, '$1'));
}

async function linkTo(stage: Stage, ts: string): Promise<string> {
  const { permalink } = await callSlack(stage, 'chat.getPermalink', { message_ts: ts });
  return `<${permalink}|`;
}

/** The person presses a button of what they alone see, and waits until it is another page. */
async function slot(stage: Stage, user: string, label: string): Promise<string[]> {
  const { workspace, until } = stage.sandbox;
  const { ts, channel } = lastWords(stage, user);
  const before = readable(lastWords(stage, user));
  const pressed = await workspace.click({ user, channel, ts, label });
  expect(pressed).toMatchObject({ acknowledged: true, shown: null });
  await until(() => readable(lastWords(stage, user)) !== before, { what: 'another page' });
  expect(lastWords(stage, user).ts).toBe(ts);
  return linesOf(lastWords(stage, user));
}

story(
  'list-waiting list-asked',
  'reviewers see what waits for them, and requesters their own requests, until they are decided',
  async () => {
    await using stage = await startStage({ config: listing });
    const expiresAt = '2031-11-21T10:00:00Z';
    const requestedBy = { email: 'cleo@example.com' };
    const deploy = await stage.ask({ title: 'Deploy <4.2>', requestedBy, expiresAt });
    const rotate = await stage.ask({ title: 'Rotate the keys', requestedBy: { name: 'CI' } });

    const links = await Promise.all([deploy, rotate].map(({ ts }) => linkTo(stage, ts)));
    const mine = await listUntil(stage, ANA, links);
    expect(mine.text).toBe('Waiting for you: 2. You have no open requests.');
    expect(linesOf(mine)).toEqual([
      'Waiting for you',
      '*Deploy &lt;4.2&gt;*',
      'Waiting since a time · Deadline: a time · Asked by <@U0CLEO> · Route `default` · in <#C0DEPLOYS>',
      '*Rotate the keys*',
      'Waiting since a time · Asked by CI · Route `default` · in <#C0DEPLOYS>',
      'Your requests',
      'You have no open requests.',
      HOME,
      'Decided',
    ]);
    const asked = await listFor(stage, CLEO);
    expect(asked.text).toBe('Nothing is waiting for you. Your requests: 1.');
    expect(linesOf(asked).slice(-5, -2)).toEqual([
      'Your requests',
      '*Deploy &lt;4.2&gt;*',
      'Waiting since a time · Deadline: a time · Route `default` · in <#C0DEPLOYS>',
    ]);
    expect(readable(asked)).toContain(links[0]);

    await stage.click(BEN, deploy.ts, 'Approve');
    await stage.until(deploy.ts, /Approved by/);
    await stage.sandbox.automation.withdraw(rotate.id);
    await stage.until(rotate.ts, /Withdrawn/);
    expect(linesOf(await listFor(stage, ANA))).toEqual(EMPTY);
    expect(linesOf(await listFor(stage, CLEO))).toEqual(EMPTY);
    const decided = [
      'Decided',
      '*Deploy &lt;4.2&gt;*',
      ':white_check_mark: *Approved by <@U0BEN>* · a time · Asked by <@U0CLEO> · Route `default` · in <#C0DEPLOYS>',
      'Overview',
    ];
    expect(await slot(stage, CLEO, 'Decided')).toEqual(decided);
    expect(linesOf(await listFor(stage, ANA, 'decided'))).toEqual(decided);
    expect(linesOf(await listFor(stage, GUEST, 'decided')).slice(1)).toEqual([
      'No recent decisions.',
      'Overview',
    ]);
  },
);

story(
  'list-waiting list-asked',
  'an approver sees that they approved, and how many approvals are missing',
  async () => {
    await using stage = await startStage({ route: { quorum: 2 } });
    const { ts } = await stage.ask({ title: 'Two eyes', requestedBy: { slackUser: CLEO } });
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /1 of 2 approvals/);
    await sentenceFor(stage, ANA);
    await listUntil(stage, BEN, [await linkTo(stage, ts)]);
    expect(linesOf(await listFor(stage, ANA)).slice(0, 3)).toEqual([
      'Waiting for you',
      '*Two eyes*',
      'You approved, waiting for 1 more · Asked by <@U0CLEO> · Route `default` · in <#C0DEPLOYS>',
    ]);
    const where = ' · Route `default` · in <#C0DEPLOYS>';
    const progress = 'Waiting since a time · 1 of 2 approvals';
    expect(linesOf(await listFor(stage, BEN))[2]).toBe(`${progress} · Asked by <@U0CLEO>${where}`);
    expect(linesOf(await listFor(stage, CLEO)).at(-3)).toBe(`${progress}${where}`);
  },
);

story(
  'list-rights nobody-decides-who-may-not',
  'nothing is listed for people who are neither reviewer nor requester, or not a full member',
  async () => {
    await using stage = await startStage({
      config: (config) => {
        const [named] = config.routes;
        if (named === undefined) throw new Error('there is a route');
        const anyone = { ...named, ...ANYONE, name: 'anyone' };
        const routes = [named, anyone, { ...anyone, name: 'guests', guests: true }];
        const sources = config.sources.map((source) => ({
          ...source,
          routes: routes.map(({ name }) => name),
        }));
        return { ...config, routes, sources };
      },
    });
    await stage.ask({ title: 'Named' });
    await stage.ask({ title: 'To Ben', reviewers: { users: [BEN] } });
    await stage.ask({ title: 'Of Ana', route: 'anyone', requestedBy: { slackUser: ANA } });
    await stage.ask({ title: 'With guests', route: 'guests' });
    const titlesFor = async (user: string) =>
      linesOf(await listFor(stage, user)).flatMap((line) => /^\*(.*)\*$/.exec(line)?.[1] ?? []);
    // What she asked for stands below what waits for her.
    expect(await titlesFor(ANA)).toEqual(['Named', 'With guests', 'Of Ana']);
    expect(await titlesFor(BEN)).toEqual(['Named', 'To Ben', 'Of Ana', 'With guests']);
    expect(await titlesFor(CLEO)).toEqual(['Of Ana', 'With guests']);
    expect(await titlesFor(GUEST)).toEqual(['With guests']);
    expect(linesOf(await listFor(stage, STRANGER))).toEqual(EMPTY);
  },
);

story('list-pages', 'a long list has pages in the same message', async () => {
  await using stage = await startStage({ sandbox: { postRate: null } });
  const all = Array.from({ length: 18 }, (_, i) => `Request ${i + 1}`);
  for (const title of all) await stage.ask({ title, requestedBy: { slackUser: CLEO } });
  const titlesIn = (lines: readonly string[]) =>
    lines.flatMap((line) => /^\*(Request \d+)\*$/.exec(line)?.[1] ?? []);

  const first = await listFor(stage, ANA);
  expect(titlesIn(linesOf(first))).toEqual(all.slice(0, 8));
  expect(titlesIn(await slot(stage, ANA, 'Show more'))).toEqual(all.slice(8, 16));
  const last = await slot(stage, ANA, 'Next');
  expect([titlesIn(last), last.slice(-2)]).toEqual([all.slice(16), ['Previous', 'Overview']]);
  expect(titlesIn(await slot(stage, ANA, 'Previous'))).toEqual(all.slice(8, 16));
  expect(titlesIn(await slot(stage, ANA, 'Previous'))).toEqual(all.slice(0, 8));
  const overview = await slot(stage, ANA, 'Overview');
  expect(overview).toEqual(linesOf(first));
  expect(stage.told(ANA)).toHaveLength(1);

  const asked = await listFor(stage, CLEO);
  expect(titlesIn(linesOf(asked))).toEqual(all.slice(0, 5));
  expect(titlesIn(await slot(stage, CLEO, 'Show more'))).toEqual(all.slice(5, 10));
});

story(
  'list-at-once',
  'a command is acknowledged at once even while Slack looks up the person slowly',
  async () => {
    await using stage = await startStage();
    const { workspace, until } = stage.sandbox;
    await stage.ask();
    workspace.fault({ kind: 'slowAnswer', ms: 1_500, method: 'users.info', times: 1 });
    const typed = await workspace.command({ user: ANA, channel: DEPLOYS, text: '/approvals' });
    expect(typed).toMatchObject({ acknowledged: true, shown: null });
    expect(workspace.ephemerals(ANA)).toEqual([]);
    await until(() => workspace.ephemerals(ANA).length > 0);
    expect(lastWords(stage, ANA).text).toMatch(/^Waiting for you: 1\./);
  },
);

story(
  'list-trouble nobody-without-answer',
  'an answer that fails by the response URL is posted as an ephemeral message',
  async () => {
    await using stage = await startStage();
    const { ts } = await stage.ask();
    stage.sandbox.workspace.fault({ kind: '500', method: 'response_url' });
    await listUntil(stage, ANA, [await linkTo(stage, ts)]);
  },
);

story(
  'list-trouble nobody-without-answer',
  'a list that fails because Slack does not look up the person is answered with a reference',
  async () => {
    await using stage = await startStage();
    stage.sandbox.workspace.fault({ kind: '500', method: 'users.info' });
    expect((await listFor(stage, ANA)).text).toMatch(
      /^Gatepost could not read this, and nothing was changed\..* reference: \w+$/,
    );
    stage.sandbox.workspace.clearFaults();
    expect(linesOf(await listFor(stage, ANA))).toEqual(EMPTY);
  },
);

story('list-help nobody-without-answer', 'help and unknown words get an answer', async () => {
  await using stage = await startStage();
  await stage.ask();
  for (const words of ['help', ' HELP ', '--help', '-h', '?', '`help`', 'away --help', 'back -h']) {
    expect((await listFor(stage, ANA, words)).text).toContain('lists open requests');
  }
  expect((await listFor(stage, ANA, 'of everybody')).text).toMatch(/so nothing is listed/);
});

story(
  'list-waiting list-rights nobody-without-answer',
  'a request is found by its short id or the link to its message, only by people it waits for',
  async () => {
    await using stage = await startStage();
    const { id, ts } = await stage.ask({ title: 'This one' });
    await stage.ask({ title: 'Another' });
    const short = shortIdOf(id);
    // Messages of earlier versions show the beginning of the id.
    const begin = id.slice(2, 10);
    for (const words of [short, short.toLowerCase().replace('-', ''), id, begin]) {
      const list = readable(await listFor(stage, ANA, words));
      expect(list).toContain('|This one>*');
      expect(list).toContain(`\`${short}\``);
      expect(list).not.toContain('Another');
    }
    expect((await listFor(stage, CLEO, short)).text).toContain(`Nothing found for \`${short}\``);
    const link = `https://acme.slack.com/archives/${DEPLOYS}/p${ts.replace('.', '')}`;
    const reply = `https://acme.slack.com/archives/${DEPLOYS}/p1795000000000100?thread_ts=${ts}&cid=${DEPLOYS}`;
    for (const words of [link, `<${link}>`, `“${link}”`, reply]) {
      const list = readable(await listFor(stage, ANA, words));
      expect(list).toContain('|This one>*');
      expect(list).not.toContain('Another');
    }
    expect((await listFor(stage, CLEO, link)).text).toContain('Nothing found for this message ');
  },
);

story(
  'list-waiting list-rights nobody-without-answer',
  'a decided request is found by its short id, only by people who could decide or requested it',
  async () => {
    await using stage = await startStage({ config: listing });
    const { id, ts } = await stage.ask({ title: 'Deploy 4.2' });
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Approved by/);
    const short = shortIdOf(id);
    expect(linesOf(await listFor(stage, BEN, short))).toEqual([
      'Decided',
      '*Deploy 4.2*',
      expect.stringMatching(/^:white_check_mark: \*Approved by <@U0ANA>\*.*$/),
    ]);
    const { text } = await listFor(stage, CLEO, short);
    expect(text).toBe(
      `Nothing found for \`${short}\` among your requests and those you can decide. If it was withdrawn or decided some time ago, its message in the channel shows how it ended. Type \`/approvals\` to list what is open, or \`/approvals help\`.`,
    );
    // A person who cannot see it learns no more than for an unknown id.
    const unknown = await listFor(stage, CLEO, '0000-0000');
    expect(unknown.text).toBe(text.replaceAll(short, '0000-0000'));
  },
);

story(
  'list-waiting list-rights',
  'administrators list everything that waits, and other people cannot',
  async () => {
    await using stage = await startStage({ env: { GATEPOST_ADMINISTRATORS: CLEO } });
    await stage.ask({ title: 'To Ben', reviewers: { users: [BEN] } });
    expect(linesOf(await listFor(stage, CLEO, 'all'))).toEqual([
      'All open requests',
      '*To Ben*',
      expect.stringMatching(/^Waiting since a time.* · Route `default` · in <#C0DEPLOYS>$/),
      'Overview',
    ]);
    expect((await listFor(stage, ANA, 'all')).text).toMatch(/^Only Gatepost administrators can/);
    stage.sandbox.workspace.fault({ kind: '500', method: 'users.info' });
    expect((await listFor(stage, BEN, 'all')).text).toMatch(/^Gatepost could not check whether/);
  },
);

describe.skipIf(!(await canStartRedis()))('on Redis', () => {
  story(
    'list-trouble list-waiting nobody-without-answer',
    'a list survives a restart of the store, and gets an answer with a reference while it is away',
    async () => {
      await using server = await startRedisServer({ appendonly: true });
      await using stage = await startStage({ env: { REDIS_URL: server.url } });
      const { ts } = await stage.ask({ title: 'Kept' });
      await listUntil(stage, ANA, [await linkTo(stage, ts)]);
      await server.kill();
      expect((await listFor(stage, ANA)).text).toMatch(
        /^Gatepost could not read this, and nothing was changed\..* reference: \w+$/,
      );
      await server.restart();
      await listUntil(stage, ANA, ['Kept']);
    },
  );
});
