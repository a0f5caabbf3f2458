import { expect } from 'vitest';
import type { Question } from '../../sandbox/automation/automation.ts';
import type { IdentityRule } from '../../src/core/config/config.ts';
import { ANYONE, approves, refused } from './deciders.ts';
import {
  ANA,
  ANAS_ACCOUNT,
  BEN,
  effectsOf,
  respondsOf,
  type Stage,
  type StageOptions,
  startStage,
} from './stage.ts';
import { story } from './story.ts';

/** Ana's second Slack account, which the configuration links with her account in the service. */
const UNA = 'U0UNA';

function startOfTwoAccounts(options: StageOptions = {}): Promise<Stage> {
  return startStage({
    ...options,
    route: { ...ANYONE, ...options.route },
    config: (config) => ({ ...config, identityOverrides: { [UNA]: ANAS_ACCOUNT } }),
  });
}

/** Both are ids of one person in the organisation, in two of its workspaces. */
function shareAnOrganisation({ sandbox }: Stage): void {
  const enterprise_user = { enterprise_id: 'E0ACME', id: 'W0ANA' };
  const profile = { email: 'ana@example.com' };
  for (const id of [ANA, UNA]) sandbox.workspace.setUser(id, { enterprise_user, profile });
}

/** The second account's approval changes nothing, and Ben's completes the quorum. */
async function countsOnce(stage: Stage, second: string, question: Question): Promise<void> {
  const { ts, token } = await stage.ask(question);
  const isOwnGate = question.key !== undefined;
  await stage.click(ANA, ts, 'Approve');
  await stage.until(ts, /1 of 2 approvals \(<@U0ANA>\)/);
  await stage.click(second, ts, 'Approve');
  await stage.until(ts, new RegExp(`1 of 2 approvals \\(<@${second}>\\)`));
  await stage.sandbox.until(() => stage.told(second).length > 0);
  expect(stage.told(second).at(-1)).toMatch(
    /^You already approved .* as <@U0ANA>\. A person counts once, whichever account they use\. 1 more approval is needed\.$/,
  );
  if (!isOwnGate) expect(respondsOf(stage, token)).toEqual([]);
  await stage.click(BEN, ts, 'Approve');
  await stage.until(ts, new RegExp(`Approved by <@${second}> and <@U0BEN>`));
  if (!isOwnGate) expect(effectsOf(stage, token)).toEqual(['approve']);
}

story(
  'people-one-vote nobody-decides-who-may-not',
  'two Slack accounts linked to one account in the service have one vote',
  async () => {
    for (const identity of ['require', 'omit'] satisfies IdentityRule[]) {
      await using stage = await startOfTwoAccounts({ route: { quorum: 2, identity } });
      await countsOnce(stage, UNA, {});
      await countsOnce(stage, UNA, { key: 'two/accounts', title: 'Drop the table' });
    }
  },
);

story(
  'people-one-vote people-organisation nobody-decides-who-may-not',
  'two ids of one person in an organization have one vote',
  async () => {
    await using stage = await startStage({
      sandbox: { enterprise: { id: 'E0ACME', name: 'Acme Group' } },
      route: { ...ANYONE, quorum: 2, identity: 'omit' },
    });
    shareAnOrganisation(stage);
    await countsOnce(stage, UNA, {});
    await countsOnce(stage, UNA, { key: 'two/ids', title: 'Drop the table' });
    await refused(stage, UNA, /^You asked for /, { requestedBy: { slackUser: ANA } });
  },
);

story(
  'people-requester people-override nobody-decides-who-may-not',
  'a requester does not decide with a second Slack account, however they were named',
  async () => {
    await using stage = await startOfTwoAccounts();
    // Nobody in Slack has the address that the service knows.
    stage.sandbox.workspace.setUser(ANA, { profile: { email: 'ana@elsewhere.example' } });
    await refused(stage, UNA, /^You asked for /, { requestedBy: { email: 'Ana@Example.com' } });
    stage.sandbox.workspace.setUser(ANA, { profile: { email: 'ana@example.com' } });
    await refused(stage, UNA, /^You asked for /, { requestedBy: { email: 'ana@example.com' } });
    await refused(stage, UNA, /^You asked for /, { requestedBy: { slackUser: ANA } });
    await refused(stage, ANA, /^You asked for /, { requestedBy: { slackUser: UNA } });
    await approves(stage, UNA, { requestedBy: { slackUser: BEN } });
  },
);

story(
  'people-requester people-organisation nobody-decides-who-may-not',
  'a requester does not decide under their other id in the organization',
  async () => {
    await using stage = await startStage({
      sandbox: { enterprise: { id: 'E0ACME', name: 'Acme Group' } },
      route: ANYONE,
    });
    shareAnOrganisation(stage);
    await refused(stage, ANA, /^You asked for /, { requestedBy: { slackUser: UNA } });
    await approves(stage, BEN, { requestedBy: { slackUser: UNA } });
  },
);
