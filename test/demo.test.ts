import { expect, test, vi } from 'vitest';
import { startDemo } from '../sandbox/demo.ts';
import { typeCommand } from './e2e/move-stage.ts';
import { DEPLOYS, driving } from './support/world.ts';

test('the demo asks only people who can decide, and opens /move-task and /new-case only for people on their lists', async () => {
  const demo = await startDemo();
  const { sandbox } = demo;
  try {
    const { ask, click, read, until } = driving(sandbox);
    const { ts } = await ask();
    const named = [...read(ts).matchAll(/<@(\w+)>/g)].map(([, user]) => user);
    expect(named).toEqual(['U0ANA', 'U0BEN']);
    for (const user of ['U0ANA', 'U0BEN']) {
      const next = await ask();
      await click(user, next.ts, 'Approve');
      await until(next.ts, new RegExp(`Approved by <@${user}>`));
    }
    const shownTo = async (user: string, text: string) => {
      await typeCommand({ sandbox }, { user, channel: DEPLOYS, text }, '');
      return JSON.stringify(sandbox.workspace.modal(user)?.blocks);
    };
    expect(await shownTo('U0CLEO', '/move-task OPS-18')).toContain('Renew the certificates');
    expect(await shownTo('U0CLEO', '/new-case')).toContain('Test project');
    for (const user of ['U0UNA', 'U0IVO']) {
      expect(await shownTo(user, '/move-task OPS-18')).toContain('not on the list of people');
      expect(await shownTo(user, '/new-case')).toContain('not on the list of people');
    }
  } finally {
    await demo.stop();
  }
});

test('the demo runs a pipeline that waits for a gate of its own', async () => {
  const demo = await startDemo();
  const { sandbox } = demo;
  try {
    const { workspace } = sandbox;
    const page = `${sandbox.url}/sandbox/v1`;
    const started = await fetch(`${page}/run-ask`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'Apply the plan' }),
    });
    expect(started.status).toBe(200);
    const find = () =>
      workspace.messages(DEPLOYS).find(({ text }) => text.includes('Apply the plan'));
    const { ts } = await sandbox.until(find);
    await workspace.click({ user: 'U0ANA', channel: DEPLOYS, ts, label: 'Approve' });
    await vi.waitFor(async () => {
      const { terminal } = JSON.parse(await (await fetch(`${page}/state?user=U0ANA`)).text());
      expect(terminal).toMatchObject({ exitCode: 0 });
      expect(terminal.output).toMatch(/^Approved by Ana \(U0ANA\)(?: after \d+ s)?\.$/m);
    }, 60_000);
    expect(sandbox.service.requests('getApproval')).toEqual([]);
  } finally {
    await demo.stop();
  }
});
