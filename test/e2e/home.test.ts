import { expect } from 'vitest';
import { listing, textsOf } from '../support/world.ts';
import { ANA, BEN, CLEO, respondsOf, type Stage, sentenceFor, startStage } from './stage.ts';
import { story } from './story.ts';

/** What people see and press on the Home tab. */

const DANA = 'U0DANA';

/** What somebody's Home tab shows, a line per text and button, without times and links. */
function linesAt({ sandbox }: Stage, user: string): string[] {
  const view = sandbox.workspace.home(user);
  return textsOf(view?.blocks ?? [])
    .join('\n')
    .replace(/<!date[^>]*>/g, 'a time')
    .replace(/<http[^|]*\|([^>]*)>/g, '$1')
    .split('\n');
}

/** Waits until it shows something. */
async function showsAt(stage: Stage, user: string, pattern: RegExp): Promise<string[]> {
  await stage.sandbox.until(() => pattern.test(linesAt(stage, user).join('\n')), {
    what: `${pattern} on the Home tab of ${user}: ${linesAt(stage, user).join('|')}`,
    timeoutMs: 60_000,
  });
  return linesAt(stage, user);
}

/** Opened until it shows something. */
async function opened(stage: Stage, user: string, pattern: RegExp): Promise<string[]> {
  const { workspace, until } = stage.sandbox;
  const isShown = () => pattern.test(linesAt(stage, user).join('\n'));
  for (let tries = 0; tries < 20 && !isShown(); tries += 1) {
    workspace.openHome(user);
    await until(isShown, { timeoutMs: 3_000 }).catch(() => {});
  }
  return showsAt(stage, user, pattern);
}

const pressAt = async ({ sandbox }: Stage, user: string, label: string) => {
  const pressed = await sandbox.workspace.click({ user, surface: 'home', label });
  expect(pressed).toMatchObject({ acknowledged: true });
};

const modalOf = async ({ sandbox }: Stage, user: string, pattern: RegExp) => {
  const text = () => textsOf(sandbox.workspace.modal(user)?.blocks ?? []).join('\n');
  await sandbox.until(() => pattern.test(text()), { what: `${pattern} in the modal: ${text()}` });
  return text();
};

/** Ticks the checkbox of a row, or clears it. */
async function pick({ sandbox }: Stage, row: number, value = ['yes']): Promise<void> {
  const { workspace } = sandbox;
  const ids = (workspace.modal(ANA)?.blocks ?? []).map(({ block_id }) => String(block_id));
  const id = ids.filter((each) => each.startsWith('approvals.several.row.'))[row];
  const input = `${id} approvals.several.pick`;
  const chosen = await workspace.choose({ user: ANA, surface: 'modal', input, value });
  expect(chosen).toMatchObject({ acknowledged: true });
}

story(
  'home-waiting home-decides home-fresh',
  'a short request is decided in its row, and moves to the decided ones',
  async () => {
    await using stage = await startStage({ config: listing });
    const requestedBy = { slackUser: CLEO };
    const { ts, token } = await stage.ask({ title: 'Deploy 4.2', message: 'Ready?', requestedBy });
    const home = await opened(stage, ANA, /Deploy 4\.2/);
    expect(home.slice(2, 10)).toEqual([
      'Waiting for you · 1',
      '*Deploy 4.2*',
      'Waiting since a time · Asked by <@U0CLEO> · Route `default` · in <#C0DEPLOYS>',
      'Ready?',
      'Approve',
      'Reject',
      'Review',
      'Your requests',
    ]);
    expect(await opened(stage, CLEO, /Your requests · 1/)).toContain('Nothing is waiting for you.');
    await pressAt(stage, ANA, 'Approve');
    await stage.until(ts, /Approved by <@U0ANA>/);
    expect(respondsOf(stage, token)).toEqual([200]);
    const after = await showsAt(stage, ANA, /Decided · 1/);
    expect(after).toContain('Nothing is waiting for you.');
    expect(after).toContain(
      ':white_check_mark: *Approved by <@U0ANA>* · a time · Asked by <@U0CLEO> · Route `default` · in <#C0DEPLOYS>',
    );
    await opened(stage, CLEO, /You have no open requests.*Decided · 1/s);
  },
);

story(
  'home-review home-decides',
  'a request with a change is decided only where the whole change is shown',
  async () => {
    await using stage = await startStage({ config: listing });
    const change = Array.from({ length: 900 }, (_, at) => `+ line ${at + 1}`).join('\n');
    const { ts, token } = await stage.ask({ title: 'Deploy 4.2', change });
    const home = await opened(stage, ANA, /Deploy 4\.2/);
    expect(home.slice(2, 6)).toEqual([
      'Waiting for you · 1',
      '*Deploy 4.2*',
      expect.stringMatching(/^Waiting since a time/),
      'Review',
    ]);
    await pressAt(stage, ANA, 'Review');
    const shown = await modalOf(stage, ANA, /Approve/);
    expect(shown).toMatch(/\+ line 1\n.*\+ line 900.*Digest `[0-9a-f]{8}`.*Approve\nReject/s);
    const { workspace } = stage.sandbox;
    await workspace.click({ user: ANA, surface: 'modal', label: 'Reject' });
    expect(await modalOf(stage, ANA, /recorded/)).toBe(
      'Your decision on *Deploy 4.2* was recorded. The result will appear on the Home tab.',
    );
    await stage.until(ts, /Rejected by <@U0ANA>/);
    expect(respondsOf(stage, token)).toEqual([200]);
    await showsAt(stage, ANA, /Decided · 1/);
    await pressAt(stage, ANA, 'Show');
    expect(await modalOf(stage, ANA, /line 900/)).not.toContain('Approve');
  },
);

story(
  'home-review reason-asked',
  'a reason is asked for if the route requires one, in the modal of a request too',
  async () => {
    const reason = { approve: 'none', reject: 'required' } as const;
    await using stage = await startStage({ route: { reason }, config: listing });
    const { workspace } = stage.sandbox;
    const { ts } = await stage.ask({ title: 'Deploy 4.2', message: 'Ready?' });
    await opened(stage, BEN, /Deploy 4\.2/);
    await pressAt(stage, BEN, 'Review');
    await modalOf(stage, BEN, /Approve/);
    await workspace.click({ user: BEN, surface: 'modal', label: 'Reject' });
    await modalOf(stage, BEN, /Reject \*Deploy 4\.2\*\?/);
    const values = { 'approvals.reason.text': 'Not on a Friday' };
    expect(await workspace.submit({ user: BEN, values })).toMatchObject({ body: '' });
    expect(await stage.until(ts, /Rejected by <@U0BEN>/)).toContain('Not on a Friday');
    await showsAt(stage, BEN, /Decided · 1/);
  },
);

story(
  'home-decides nobody-decides-who-may-not nobody-without-answer',
  'a press on a decided request, or without the right to decide, gets a direct message',
  async () => {
    await using stage = await startStage({ config: listing });
    const { workspace } = stage.sandbox;
    const { ts } = await stage.ask({ title: 'Deploy 4.2', message: 'Ready?' });
    await opened(stage, ANA, /Deploy 4\.2/);
    await opened(stage, BEN, /Deploy 4\.2/);
    // Nothing of it is published any more.
    workspace.fault({ kind: '500', method: 'views.publish' });
    await stage.click(BEN, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0BEN>/);
    await pressAt(stage, ANA, 'Reject');
    expect(await sentenceFor(stage, ANA)).toMatch(
      /Deploy 4\.2.* was already approved by <@U0BEN>\. Your rejection was not counted\./,
    );
    expect(workspace.directMessages(ANA)).toHaveLength(1);
    workspace.clearFaults();
    await pressAt(stage, ANA, 'Refresh');
    await showsAt(stage, ANA, /Decided · 1/);
  },
);

story(
  'home-fresh',
  'whoever pressed a request there sees when it is decided and how the work went, others after *Refresh*',
  async () => {
    await using stage = await startStage({ route: { quorum: 2 }, config: listing });
    const { automation, workspace } = stage.sandbox;
    const requestedBy = { slackUser: CLEO };
    const { id, ts } = await stage.ask({ title: 'Deploy 4.2', message: 'Ready?', requestedBy });
    await opened(stage, ANA, /Deploy 4\.2/);
    await opened(stage, CLEO, /Your requests · 1/);
    await pressAt(stage, ANA, 'Approve');
    await showsAt(stage, ANA, /You approved, waiting for 1 more/);
    await stage.click(BEN, ts, 'Approve');
    await showsAt(stage, ANA, /Decided · 1/);
    expect(await automation.report(id, { state: 'running' })).toMatchObject({ status: 200 });
    await showsAt(stage, ANA, /Running/);
    expect(linesAt(stage, CLEO)).toContain('Your requests · 1');
    await workspace.click({ user: CLEO, surface: 'home', label: 'Refresh' });
    await showsAt(stage, CLEO, /You have no open requests.*Decided · 1/s);
  },
);

story(
  'home-rights list-rights',
  'only administrators see everything that waits, and others only what is theirs',
  async () => {
    await using stage = await startStage({ env: { GATEPOST_ADMINISTRATORS: DANA } });
    await stage.ask({ title: 'To Ben', reviewers: { users: [BEN] } });
    const all = await opened(stage, DANA, /Other open requests · 1/);
    expect(all).toContain('*To Ben*');
    expect(all).not.toContain('Review');
    const ana = await opened(stage, ANA, /Nothing is waiting for you/);
    expect(ana.join('\n')).not.toMatch(/To Ben|Everything/);
  },
);

story(
  'home-pages',
  'long sections are split into pages, and can be filtered by route',
  async () => {
    await using stage = await startStage({
      sandbox: { postRate: null },
      config: (config) => {
        const [route] = config.routes;
        if (route === undefined) throw new Error('there is a route');
        const routes = [route, { ...route, name: 'other' }];
        const sources = config.sources.map((source) => ({
          ...source,
          routes: routes.map(({ name }) => name),
        }));
        return { ...config, routes, sources };
      },
    });
    const { workspace } = stage.sandbox;
    const late = { title: 'First to end', expiresAt: '2031-01-01T00:00:00Z' };
    for (let at = 1; at <= 11; at += 1) await stage.ask({ title: `Request ${at}` });
    await stage.ask({ ...late, route: 'other' });
    const first = await opened(stage, ANA, /Waiting for you · 12/);
    const titlesIn = (lines: readonly string[]) => lines.filter((line) => /^\*.*\*$/.test(line));
    expect(titlesIn(first)).toHaveLength(8);
    expect(titlesIn(first)[0]).toBe('*First to end*');
    await pressAt(stage, ANA, 'More');
    expect(titlesIn(await showsAt(stage, ANA, /Previous/))).toEqual([
      '*Request 8*',
      '*Request 9*',
      '*Request 10*',
      '*Request 11*',
    ]);
    const input = 'approvals.home.route';
    await workspace.choose({ user: ANA, surface: 'home', input, value: 'other' });
    expect(titlesIn(await showsAt(stage, ANA, /Waiting for you · 1\n/))).toEqual([
      '*First to end*',
    ]);
  },
);

story(
  'home-several nothing-twice nobody-without-answer',
  'several requests are decided at once, each on its own, with one message about the results',
  async () => {
    const reason = { approve: 'optional', reject: 'none' } as const;
    await using stage = await startStage({ route: { several: true, reason }, config: listing });
    const { workspace } = stage.sandbox;
    const asked = [];
    for (const title of ['Deploy 1', 'Deploy 2', 'Deploy 3']) {
      asked.push(await stage.ask({ title, message: 'Ready?', requestedBy: { slackUser: CLEO } }));
    }
    await stage.ask({ title: 'Plan', change: '+ 1' });
    const [first, second, third] = asked;
    if (!first || !second || !third) throw new Error('there are three');
    await opened(stage, ANA, /Select…/);
    await pressAt(stage, ANA, 'Select…');
    const form = await modalOf(stage, ANA, /Decision for the selected/);
    expect(form).toMatch(/Deploy 1.*Deploy 2.*Deploy 3/s);
    expect(form).toMatch(/1 more on this route is not listed here\. Review it/);
    expect(form).toContain('asked by Cleo');
    const none = { 'approvals.several.decision': 'approve' };
    const refused = await workspace.submit({ user: ANA, values: none });
    expect(refused.body).toContain('Select at least one request.');
    await pick(stage, 0);
    await pick(stage, 1);
    await modalOf(stage, ANA, /Decision for the 2 selected/);
    // Decided in the meantime by somebody else.
    await stage.click(BEN, second.ts, 'Reject');
    await stage.until(second.ts, /Rejected by <@U0BEN>/);
    const values = {
      'approvals.several.decision': 'approve',
      'approvals.several.reason': 'All green',
    };
    expect(await workspace.submit({ user: ANA, values })).toMatchObject({ acknowledged: true });
    const shown = await modalOf(stage, ANA, /All done/);
    expect(shown).toMatch(
      /Deploy 1\* · .*\n.*Approved by <@U0ANA>.*Deploy 2\* · .*\n.*Rejected by <@U0BEN>/s,
    );
    expect(await stage.until(first.ts, /Approved by <@U0ANA>/)).toContain('All green');
    expect(respondsOf(stage, first.token)).toEqual([200]);
    expect(respondsOf(stage, third.token)).toEqual([]);
    const summaries = () =>
      workspace.directMessages(ANA).filter(({ text }) => text === 'Results of your 2 decisions');
    await stage.sandbox.until(() => summaries().length > 0, { what: 'one message' });
    expect(summaries()).toHaveLength(1);
    await showsAt(stage, ANA, /Waiting for you · 2/);
  },
);

story(
  'home-several home-decides',
  'twelve requests, three of them rejected, take fewer presses than one by one',
  async () => {
    await using stage = await startStage({ route: { several: true }, config: listing });
    const { workspace } = stage.sandbox;
    const numbers = Array.from({ length: 12 }, (_, at) => at + 1);
    const asked = [];
    for (const number of numbers) asked.push(await stage.ask({ title: `Deploy ${number}` }));
    await opened(stage, ANA, /Waiting for you · 12/);
    let presses = 0;
    const pressed = async (press: Promise<{ readonly acknowledged: boolean }>) => {
      presses += 1;
      expect(await press).toMatchObject({ acknowledged: true });
    };
    const decide = async (action: string) => {
      presses += 1;
      await pressed(
        workspace.submit({ user: ANA, values: { 'approvals.several.decision': action } }),
      );
      await modalOf(stage, ANA, /All done/);
      presses += 1;
      await workspace.closeModal({ user: ANA, all: true });
    };
    const select = async () => {
      await pressed(workspace.click({ user: ANA, surface: 'home', label: 'Select…' }));
      await modalOf(stage, ANA, /Decision for the selected requests/);
    };
    const rejected = new Set([2, 5, 9]);
    await select();
    for (const number of rejected) {
      presses += 1;
      await pick(stage, number - 1);
    }
    await modalOf(stage, ANA, /Decision for the 3 selected/);
    await decide('reject');
    await showsAt(stage, ANA, /Waiting for you · 9/);
    await select();
    await pressed(workspace.click({ user: ANA, surface: 'modal', label: 'Select all' }));
    const all = await modalOf(stage, ANA, /Decision for the 9 selected/);
    expect(all).toContain('Clear selection');
    await decide('approve');
    for (const [at, { ts, token }] of asked.entries()) {
      const word = rejected.has(at + 1) ? 'Rejected' : 'Approved';
      await stage.until(ts, new RegExp(`${word} by <@U0ANA>`));
      expect(respondsOf(stage, token)).toEqual([200]);
    }
    expect(presses).toBeLessThanOrEqual(numbers.length);
  },
);

story(
  'home-several no-message-lies',
  'a selection can be changed after all were selected, and what is sent is what is ticked',
  async () => {
    await using stage = await startStage({ route: { several: true }, config: listing });
    const { workspace } = stage.sandbox;
    const asked = [];
    for (const at of [1, 2, 3, 4]) asked.push(await stage.ask({ title: `Deploy ${at}` }));
    await opened(stage, ANA, /Select…/);
    await pressAt(stage, ANA, 'Select…');
    await modalOf(stage, ANA, /Select all/);
    const inModal = (label: string) => workspace.click({ user: ANA, surface: 'modal', label });
    // Neither waits for the other's update.
    await Promise.all([pick(stage, 0), pick(stage, 1)]);
    await modalOf(stage, ANA, /Decision for the 2 selected/);
    await inModal('Select all');
    await modalOf(stage, ANA, /Decision for the 4 selected/);
    await inModal('Clear selection');
    await modalOf(stage, ANA, /Decision for the selected requests/);
    await inModal('Select all');
    await modalOf(stage, ANA, /Decision for the 4 selected/);
    await pick(stage, 2, []);
    await modalOf(stage, ANA, /Select all.*Decision for the 3 selected/s);
    const values = { 'approvals.several.decision': 'approve' };
    expect(await workspace.submit({ user: ANA, values })).toMatchObject({ acknowledged: true });
    await modalOf(stage, ANA, /All done/);
    expect(asked.map(({ token }) => respondsOf(stage, token).length)).toEqual([1, 1, 0, 1]);
  },
);

story('home-several', 'requests cannot be selected if the route does not allow it', async () => {
  await using stage = await startStage();
  await stage.ask({ title: 'Deploy 1', message: 'Ready?' });
  await stage.ask({ title: 'Deploy 2', message: 'Ready?' });
  expect((await opened(stage, ANA, /Waiting for you · 2/)).join()).not.toContain('Select');
});
