import { expect } from 'vitest';
import type { Question } from '../../sandbox/automation/automation.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Route } from '../../src/core/config/config.ts';
import { ANYONE, NOBODY } from './deciders.ts';
import { open } from './message-menu.ts';
import {
  ANA,
  ANAS_ACCOUNT,
  BEN,
  CLEO,
  effectsOf,
  respondsOf,
  type Stage,
  type StageOptions,
  startStage,
} from './stage.ts';
import { story } from './story.ts';

/** The needs, in addition to the quorum: one of SRE and one of Security. */

const DANA = 'U0DANA';
const need = (name: string, group: string, count = 1) => {
  return { name, count, of: { users: [], groups: [group] } };
};
const SRE = need('SRE', 'S0SRE');
const SECURITY = need('Security', 'S0SEC');

/** Ana and Ben are SRE; Ben and Cleo are Security. Anybody in the channel reviews. */
function startOfGroups(route: Partial<Route> = {}, more: StageOptions = {}): Promise<Stage> {
  return startStage({
    ...more,
    before({ workspace }: Sandbox) {
      workspace.addUserGroup('S0SRE', 'sre', [ANA, BEN]);
      workspace.addUserGroup('S0SEC', 'security', [BEN, CLEO]);
    },
    route: { ...ANYONE, identity: 'omit', need: [SRE, SECURITY], ...route },
  });
}

/** What the intake says of each need. */
async function needsOf({ sandbox }: Stage, id: string): Promise<Record<string, string>> {
  const { body } = await sandbox.automation.status(id);
  const { needs } = body as { needs: { name: string; count: number; have: number }[] }; // as: documented
  return Object.fromEntries(needs.map(({ name, count, have }) => [name, `${have}/${count}`]));
}

async function toldTo(stage: Stage, user: string, count = 1): Promise<string | undefined> {
  await stage.sandbox.until(() => stage.told(user).length === count, { what: `words to ${user}` });
  return stage.told(user).at(-1);
}

/** The line that says how the request stands. */
const stateOf = (stage: Stage, ts: string) => stage.read(ts).split('\n')[1];

story(
  'click-needs nobody-without-answer no-message-lies',
  'a person in both groups covers whichever need is left, in any order',
  async () => {
    await using stage = await startOfGroups();
    const { ts, token, id } = await stage.ask({ title: 'Deploy 4.2' });
    expect(stateOf(stage, ts)).toBe(
      ':hourglass: *Waiting for* 1 of SRE (<!subteam^S0SRE>), 1 of Security (<!subteam^S0SEC>)',
    );
    expect(await needsOf(stage, id)).toEqual({ SRE: '0/1', Security: '0/1' });
    // Ben fills the first place, until Ana needs it.
    await stage.click(BEN, ts, 'Approve');
    await stage.until(ts, /approved by <@U0BEN>/);
    expect(stateOf(stage, ts)).toBe(
      ':hourglass: *Waiting for* 1 of SRE or Security (<!subteam^S0SRE>, <!subteam^S0SEC>) · approved by <@U0BEN>',
    );
    expect(await toldTo(stage, BEN)).toBe(
      'Your approval of *Deploy 4.2* counts. Still needed: 1 of SRE or Security.',
    );
    expect(await needsOf(stage, id)).toEqual({ SRE: '1/1', Security: '0/1' });
    expect(respondsOf(stage, token)).toEqual([]);
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0BEN> and <@U0ANA>/);
    expect(effectsOf(stage, token)).toEqual(['approve']);
    expect(await stage.sandbox.automation.status(id)).toMatchObject({
      body: { status: 'APPROVED', outcome: { by: [BEN, ANA], certain: true } },
    });
  },
);

story(
  'click-needs click-quorum nobody-without-answer',
  'an approval that covers no open need is kept, and used later or not named',
  async () => {
    await using stage = await startOfGroups();
    const { ts, token, id } = await stage.ask({ key: 'needs/unused', title: 'Deploy 4.2' });
    await stage.click(DANA, ts, 'Approve');
    expect(await toldTo(stage, DANA)).toBe(
      'Your approval of *Deploy 4.2* is recorded. Still needed: 1 of SRE, 1 of Security, which you cannot cover.',
    );
    await stage.click(ANA, ts, 'Approve');
    expect(await toldTo(stage, ANA)).toBe(
      'Your approval of *Deploy 4.2* counts. Still needed: 1 of Security.',
    );
    // Two have approved, as many as are needed, and one place is open.
    expect(await stage.until(ts, /approved by <@U0DANA> and <@U0ANA>/)).toContain(
      '*Waiting for* 1 of Security (<!subteam^S0SEC>) · approved by <@U0DANA> and <@U0ANA>',
    );
    expect(await needsOf(stage, id)).toEqual({ SRE: '1/1', Security: '0/1' });
    await stage.click(ANA, ts, 'Approve');
    expect(await toldTo(stage, ANA, 2)).toBe(
      'You already approved *Deploy 4.2*. Still needed: 1 of Security.',
    );
    await stage.click(CLEO, ts, 'Approve');
    const text = await stage.until(ts, /Approved by <@U0ANA> and <@U0CLEO>/);
    expect(text).not.toContain(DANA);
    expect(await open(stage, BEN, ts, 'Details…')).toContain(
      `<@${DANA}> pressed Approve (covered none of what was needed)`,
    );
    expect(token).toBe('');
    expect(await stage.sandbox.automation.status(id)).toMatchObject({
      body: { approvals: 3, outcome: { by: [ANA, CLEO] } },
    });
  },
);

story(
  'click-needs click-quorum',
  'the quorum counts everybody: a person who covers no need counts for it',
  async () => {
    await using stage = await startOfGroups({ quorum: 3 });
    const { ts, token } = await stage.ask({ title: 'Deploy 4.2' });
    await stage.click(DANA, ts, 'Approve');
    expect(await toldTo(stage, DANA)).toBe(
      'Your approval of *Deploy 4.2* counts. Still needed: 1 of SRE, 1 of Security.',
    );
    await stage.click(CLEO, ts, 'Approve');
    await stage.until(ts, /approved by <@U0DANA> and <@U0CLEO>/);
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0DANA>, <@U0CLEO> and <@U0ANA>/);
    expect(effectsOf(stage, token)).toEqual(['approve']);
  },
);

story(
  'click-needs click-reject-decides',
  'one rejection decides, whatever the needs are',
  async () => {
    await using stage = await startOfGroups();
    const { ts, token } = await stage.ask();
    await stage.click(BEN, ts, 'Approve');
    await stage.until(ts, /approved by <@U0BEN>/);
    await stage.click(DANA, ts, 'Reject');
    await stage.until(ts, /Rejected by <@U0DANA>/);
    expect(effectsOf(stage, token)).toEqual(['reject']);
  },
);

story(
  'click-needs click-quorum-again nobody-decides-who-may-not',
  'an approver who left is replaced by another one, or the others are told',
  async () => {
    await using stage = await startOfGroups({ identity: 'require' });
    const { service, workspace } = stage.sandbox;
    workspace.setUserGroup('S0SRE', { users: [ANA, BEN] });
    workspace.setUserGroup('S0SEC', { users: [CLEO] });
    const { ts, token } = await stage.ask({ title: 'Deploy 4.2' });
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /approved by <@U0ANA>/);
    await stage.click(BEN, ts, 'Approve');
    await stage.until(ts, /approved by <@U0ANA> and <@U0BEN>/);
    service.setUser(ANAS_ACCOUNT, { active: false });
    await stage.click(CLEO, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0BEN> and <@U0CLEO>/);
    expect(effectsOf(stage, token)).toEqual(['approve']);
    await stage.sandbox.until(() => stage.told(ANA).length === 2);
    expect(stage.told(ANA).at(-1)).toMatch(/no longer counts: your account in the service was/);

    // Ben leaves the group, and stays a reviewer.
    const second = await stage.ask({ title: 'Deploy 4.3' });
    await stage.click(BEN, second.ts, 'Approve');
    await stage.until(second.ts, /approved by <@U0BEN>/);
    workspace.setUserGroup('S0SRE', { users: [ANA] });
    await stage.click(CLEO, second.ts, 'Approve');
    await stage.until(
      second.ts,
      /\* 1 of SRE \(<!subteam\^S0SRE>\) · approved by <@U0BEN> and <@U0CLEO>/,
    );
    await stage.sandbox.until(() => /4\.3/.test(stage.told(CLEO).at(-1) ?? ''));
    expect(stage.told(CLEO).at(-1)).toBe(
      'Your approval of *Deploy 4.3* counts. Still needed: 1 of SRE.',
    );
    expect(respondsOf(stage, second.token)).toEqual([]);
  },
);

story(
  'click-needs people-reviewers nobody-without-answer',
  'a member of a needed group who is not a reviewer cannot approve',
  async () => {
    await using stage = await startOfGroups({ reviewers: { ...NOBODY, users: [ANA, CLEO] } });
    const { ts, token } = await stage.ask();
    await stage.click(BEN, ts, 'Approve');
    expect(await toldTo(stage, BEN)).toMatch(/^You are not a reviewer/);
    await stage.click(ANA, ts, 'Approve');
    await stage.until(ts, /1 of Security/);
    await stage.click(CLEO, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0ANA> and <@U0CLEO>/);
    expect(effectsOf(stage, token)).toEqual(['approve']);
  },
);

story(
  'click-needs people-reviewers nobody-without-answer',
  'the message says if only one person could cover two needs, or a group is missing',
  async () => {
    await using stage = await startOfGroups({
      reviewers: { ...NOBODY, groups: ['S0SRE', 'S0SEC'] },
    });
    const { workspace } = stage.sandbox;
    workspace.setUserGroup('S0SRE', { users: [BEN] });
    workspace.setUserGroup('S0SEC', { users: [BEN, CLEO] });
    const { ts } = await stage.ask({ requestedBy: { slackUser: CLEO } });
    expect(await stage.until(ts, /Cannot be approved/)).toContain(
      'not enough people from SRE or Security can approve. Add reviewers, or request it again.',
    );
    const fine = await stage.ask({ requestedBy: { slackUser: ANA } });
    await stage.click(BEN, fine.ts, 'Approve');
    await stage.until(fine.ts, /approved by/);
    expect(stage.read(fine.ts)).not.toContain('Cannot be approved');
  },
);

story(
  'click-needs intake-narrows',
  'a request adds needs to those of its route, under their own names',
  async () => {
    await using stage = await startOfGroups({ need: [SRE] });
    const asked = { title: 'Deploy 4.2', need: [{ name: 'Dana', of: { users: [DANA] } }] };
    const { ts, token, id } = await stage.ask(asked);
    expect(await needsOf(stage, id)).toEqual({ SRE: '0/1', Dana: '0/1' });
    await stage.click(BEN, ts, 'Approve');
    await stage.until(ts, /\* 1 of Dana \(<@U0DANA>\) · approved by/);
    await stage.click(DANA, ts, 'Approve');
    await stage.until(ts, /Approved by <@U0BEN> and <@U0DANA>/);
    expect(effectsOf(stage, token)).toEqual(['approve']);
  },
);

story(
  'click-needs intake-bad-input',
  'needs that nobody could cover are refused, with a pointer',
  async () => {
    const users = [ANA, BEN, CLEO];
    await using stage = await startStage({
      config: (config) => ({
        ...config,
        routes: config.routes.flatMap((route) => [
          { ...route, reviewers: { ...NOBODY, users }, need: [{ ...SRE, count: 2 }] },
          { ...route, name: 'open', reviewers: { ...NOBODY, channel: true } },
        ]),
        sources: config.sources.map((source) => ({ ...source, routes: ['default', 'open'] })),
      }),
    });
    const of = (...users: string[]) => ({ users });
    const one = { name: 'A', of: of(ANA) };
    const open = { route: 'open' };
    const cases: [Question, string | null][] = [
      [{ need: [{ name: 'SRE', of: of(ANA) }] }, '/need/0/name'],
      [{ need: [one] }, null],
      [{ need: [one, { name: 'B', of: of(ANA) }] }, '/need'],
      [{ need: [{ ...one, count: 2 }] }, '/need'],
      [{ need: [{ name: 'A', of: of(DANA) }] }, '/need'],
      [{ need: [{ name: 'A', of: { groups: ['S0SEC'] }, count: 2 }] }, '/need'],
      [{ reviewers: of(ANA) }, '/reviewers'],
      [{ reviewers: of(ANA, BEN), need: [one] }, '/need'],
      [{ reviewers: of(ANA, BEN), quorum: 3 }, '/quorum'],
      [{ need: [one], requestedBy: { slackUser: ANA } }, '/requestedBy/slackUser'],
      [{ need: [one], requestedBy: { slackUser: BEN } }, '/requestedBy/slackUser'],
      [{ need: [one], requestedBy: { slackUser: DANA } }, null],
      // Who else reviews is known only at the click.
      [{ ...open, need: [one, { name: 'B', of: of(ANA, BEN) }] }, null],
      [{ ...open, need: [one, { name: 'B', of: of(ANA) }] }, '/need'],
      [{ ...open, need: [one], requestedBy: { slackUser: ANA } }, '/requestedBy/slackUser'],
      [{ ...open, need: [{ name: 'A', of: { groups: ['S0SEC'] }, count: 9 }] }, null],
    ];
    for (const [question, pointer] of cases) {
      const { status, body } = await stage.send(question);
      const errors = pointer === null ? {} : { errors: [{ pointer, detail: expect.any(String) }] };
      expect({ question, status, body }).toMatchObject({
        question,
        status: pointer === null ? 202 : 422,
        body: errors,
      });
    }
  },
);

story(
  'click-needs intake-known nobody-decides-who-may-not',
  'a token or key sent again with other needs is refused, and with the same needs in another order accepted',
  async () => {
    await using stage = await startOfGroups({ need: [] });
    const a = { name: 'A', of: { users: [ANA, BEN], groups: ['S0SRE'] } };
    const b = { name: 'B', of: { groups: ['S0SEC'] }, count: 2 };
    const same = [
      { ...b, of: { ...b.of, users: [] } },
      { ...a, of: { users: [BEN, ANA], groups: ['S0SRE'] }, count: 1 },
    ];
    for (const by of [{}, { key: 'deploy/4.2', title: 'Deploy 4.2' }]) {
      const { token, id } = await stage.ask({ ...by, need: [a, b] });
      const sent = (need: Question['need']) => {
        const known = 'key' in by ? by : { token };
        return stage.send({ ...known, ...(need !== undefined && { need }) });
      };
      expect(await sent(same)).toMatchObject({ status: 200, body: { id } });
      for (const need of [undefined, [a], [a, { ...b, count: 1 }], [a, { ...b, name: 'C' }]]) {
        expect({ need, ...(await sent(need)) }).toMatchObject({ need, status: 409 });
      }
      expect(await sent([])).toMatchObject({ status: 422 });
    }
  },
);
