import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DEPLOYS } from '../support/world.ts';
import { ANA, callSlack, startStage } from './stage.ts';
import { story } from './story.ts';
import { filesIn, findTokens, formsOf, type Place } from './token-search.ts';

/** Every kind of character that some form of writing changes. */
const AWKWARD = 'tok en/+"\\<&>é%41?#=\'';

function awkwardToken(): string {
  return `${AWKWARD}${Math.random().toString(36).slice(2)}${Math.random().toString(36).slice(2)}`;
}

story('no-token-shown', 'a token in the texts of a request is redacted everywhere', async () => {
  await using stage = await startStage();
  const token = awkwardToken();
  stage.sandbox.service.createApproval({ token, prompt: `Use ${token}` });
  const encoded = encodeURIComponent(token);
  const { ts } = await stage.ask({
    token,
    title: `Deploy with ${token}`,
    message: `Open https://x.example/?t=${encoded} or ${JSON.stringify(token)}.`,
    fields: { [`Name ${token}`]: token },
    link: `https://x.example/approve?token=${encoded}`,
    requestedBy: { name: token },
  });
  expect(stage.read(ts)).toContain('Deploy with [token]');
  expect(stage.read(ts)).toContain('Asked by [token]');
  await stage.click(ANA, ts, 'Approve');
  await stage.until(ts, /Approved by <@U0ANA>/);
});

story('no-token-shown', 'a token is in no file of the store', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gatepost-files-'));
  const files: Place[] = [];
  const note = async () => files.push(...(await filesIn(folder)));
  const moreToSearch = async () => {
    await note();
    return files;
  };
  {
    await using stage = await startStage({ env: { DATA_DIR: folder }, moreToSearch });
    const token = awkwardToken();
    stage.sandbox.service.createApproval({ token });
    const { ts } = await stage.ask({ token, title: `Deploy with ${token}` });
    // Also what a later write replaces.
    await note();
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0ANA>/);
    await note();
  }
  expect(files.some(({ text }) => text.includes('Deploy with [token]'))).toBe(true);
  await rm(folder, { recursive: true });
});

story('no-token-shown', 'a base64 token is shown in no common encoding', async () => {
  await using stage = await startStage();
  const written: ((token: string) => string)[] = [
    (token) => encodeURIComponent(token).replaceAll('%2F', '/'),
    (token) => encodeURIComponent(encodeURIComponent(token)),
    (token) => Buffer.from(token).toString('hex').replace(/../g, '%$&'),
    encodeURI,
    (token) => Buffer.from(`token:${token}`).toString('base64'),
  ];
  for (const write of written) {
    const token = `${Buffer.from(crypto.randomUUID()).toString('base64').slice(0, 20)}/a+b==`;
    stage.sandbox.service.createApproval({ token, prompt: `Use ${write(token)}` });
    const link = `https://ci.example/approve?t=${write(token)}`;
    const { ts } = await stage.ask({ token, title: `Deploy ${write(token)}`, link });
    expect(stage.read(ts)).toMatch(/Deploy \S*\[token\]=*\n[\s\S]*\nUse \S*\[token\]=*\n/);
    expect(stage.read(ts)).not.toContain('Details');
    expect(JSON.stringify(stage.sandbox.workspace.message(DEPLOYS, ts))).not.toContain(
      'ci.example',
    );
  }
});

story('no-token-shown', "a token in the service's texts is redacted everywhere", async () => {
  await using stage = await startStage({ hasDoor: true });
  for (const write of [String, encodeURIComponent, (text: string) => `a "${text}" b`]) {
    const token = awkwardToken();
    stage.sandbox.service.createApproval({ token, prompt: `Say ${write(token)}` });
    const { ts } = await stage.ask({ token });
    expect(stage.read(ts)).toContain('[token]');
    stage.door.answer((call) =>
      call === 'respond' ? { status: 422, body: { error: `No ${write(token)}` } } : undefined,
    );
    const told = stage.told(ANA).length;
    await stage.click(ANA, ts, 'Approve');
    await stage.sandbox.until(() => stage.told(ANA).length > told);
    expect(stage.told(ANA).at(-1)).toContain('[token]');
    stage.door.answer(null);
  }
});

story('no-token-shown', 'a token is in no error when everything fails', async () => {
  await using stage = await startStage({ hasDoor: true });
  const { service, workspace } = stage.sandbox;
  const { ts, id, token } = await stage.ask();
  await stage.door.shut();
  await stage.click(ANA, ts, 'Approve');
  await stage.sandbox.until(() => stage.told(ANA).length > 0);
  await stage.door.open();
  service.fault({ kind: 'reset', operation: 'getApproval', times: 1 });
  workspace.fault({ kind: '500', method: 'chat.update', times: 1 });
  await stage.sandbox.automation.check(id);
  await stage.until(ts, /Waiting/);
  await stage.click(ANA, ts, 'Approve');
  await stage.until(ts, /Approved by <@U0ANA>/);
  expect(await stage.send({ token })).toMatchObject({ status: 200 });
  expect(stage.log.some((line) => line.includes('a step failed'))).toBe(true);
});

const LIE = [{ type: 'section', text: { type: 'mrkdwn', text: '*Approved by <@U0ANA>*' } }];

describe('the checks of the tests themselves', () => {
  const token = `${AWKWARD}0123456789abcdef0123456789`;

  test.each(formsOf(token))('find the form %j', (form) => {
    expect(findTokens([{ name: 'here', text: `x${form}y` }], [token])).toHaveLength(1);
  });

  test.each([0, 1, 2, 3])('find a token in base64 behind %i other bytes', (before) => {
    const text = Buffer.from(`${'x'.repeat(before)}${token}yz`).toString('base64');
    expect(findTokens([{ name: 'here', text }], [token])).toHaveLength(1);
  });

  test('find nothing where there is no token', () => {
    expect(
      findTokens([{ name: 'here', text: `the token ends in ${token.slice(-8)}` }], [token]),
    ).toEqual([]);
  });

  test('fail a test in which a token was shown', async () => {
    const told = async () => {
      await using stage = await startStage();
      const { token: shown } = await stage.ask();
      stage.sandbox.workspace.say({ user: ANA, channel: DEPLOYS, text: `See ${shown}` });
    };
    await expect(told()).rejects.toThrow(/a token is where it must not be/);
  });

  test('fail a test in which a message was false, even if it was corrected', async () => {
    const lied = async () => {
      await using stage = await startStage();
      const { ts } = await stage.ask();
      const blocks = stage.sandbox.workspace.message(DEPLOYS, ts)?.blocks;
      await callSlack(stage, 'chat.update', { ts, text: 'A lie', blocks: LIE });
      await callSlack(stage, 'chat.update', { ts, text: 'The truth', blocks });
    };
    await expect(lied()).rejects.toThrow(/a message lies/);
  });
});
