import { expect } from 'vitest';
import { DEPLOYS, readable } from '../support/world.ts';
import {
  CATALOGUE,
  LEDGER,
  moving,
  OPERATIONS,
  reviewed,
  startMoveStage,
  WEBSITE,
} from './move-stage.ts';
import { startRestartingBot } from './restarting-bot.ts';
import { ANA, ANAS_ACCOUNT, BEN, CLEO } from './stage.ts';
import { story } from './story.ts';

/** Who may move, and who may not any more. */

const NOT_NAMED =
  'You are not on the list of people who can move work items. Nothing was moved. Ask a Gatepost administrator.';

/** A bot whose settings of moves can change; what it knew of people it forgets with each restart. */
async function startMoves(move: object) {
  const bot = await startRestartingBot();
  const restart = async (changed: object) => {
    const settings = {
      move: { source: 'http', ...changed },
      catalogue: CATALOGUE,
      dialect: { task: { path: '/sandbox/v1/tasks' } },
    };
    // JSON is YAML.
    await bot.restart({}, JSON.stringify(settings));
  };
  await restart(move);
  return { ...bot, ...moving(bot), restart };
}

const TEAM = { who: { groups: ['S0REL'] } };

story(
  'move-who nobody-decides-who-may-not',
  'a person who is not listed is told, and sees nothing of the item',
  async () => {
    await using stage = await startMoveStage({
      move: { who: { users: [BEN], groups: ['S0REL'], channel: false } },
    });
    for (const [user, why] of [
      [CLEO, 'You are not on the list of people who can move work items.'],
      ['U0GUS', 'Guests cannot move work items.'],
      ['U0STR', 'Members of your Slack workspace cannot move work items.'],
    ] as const) {
      await stage.type('OPS-18', user);
      expect(await stage.modalOf(/move work items/, user)).toContain(why);
    }
    expect(stage.sandbox.service.requests('readTask')).toEqual([]);
    await reviewed(stage);
  },
);

story(
  'move-who',
  'anybody in the channel can move items if the configuration says so',
  async () => {
    await using stage = await startMoveStage({
      move: { who: { users: [], groups: [], channel: true } },
    });
    await reviewed(stage);
    await stage.type('OPS-18', ANA, 'C0SECURITY');
    expect(await stage.modalOf(/not on the list/)).toContain('Ask a Gatepost administrator');
  },
);

story(
  'move-who nobody-decides-who-may-not nobody-without-answer',
  'a person removed from the group after the review moves nothing, and no longer sees the item',
  async () => {
    await using bot = await startMoves(TEAM);
    const { workspace, service } = bot.sandbox;
    await reviewed(bot);
    workspace.setUserGroup('S0REL', { users: [BEN] });
    await bot.restart(TEAM);
    await bot.submit();
    expect(await bot.modalOf(/Not moved/)).toBe(
      `:no_entry_sign: *Not moved* · OPS-18 → *Website*\n${NOT_NAMED}`,
    );
    expect(bot.moves()).toEqual([]);
    expect(workspace.messages(DEPLOYS).map((message) => readable(message))).toEqual([]);

    const reads = service.requests('readTask').length;
    await workspace.closeModal({ user: ANA });
    await bot.type('OPS-18');
    await bot.modalOf(/not on the list of people/);
    expect(service.requests('readTask')).toHaveLength(reads);
  },
);

story(
  'move-who nobody-decides-who-may-not',
  'a person deactivated after the review moves nothing',
  async () => {
    await using bot = await startMoves(TEAM);
    await reviewed(bot);
    bot.sandbox.workspace.deactivate(ANA);
    await bot.restart(TEAM);
    await bot.submit();
    expect(await bot.modalOf(/Not moved/)).toContain(
      'This Slack account is deactivated. Nothing was moved.',
    );
    expect(bot.moves()).toEqual([]);
  },
);

story.long(
  'move-who nobody-decides-who-may-not',
  'a person removed from the group while the service was busy gets nothing sent again',
  async () => {
    await using bot = await startMoves(TEAM);
    const { workspace, service } = bot.sandbox;
    await reviewed(bot);
    service.fault({ kind: '429', retryAfter: 12, operation: 'moveTask', times: 1 });
    await bot.submit();
    await bot.sandbox.until(() => service.requests('moveTask')[0]?.answered === 429);
    workspace.setUserGroup('S0REL', { users: [BEN] });
    await bot.restart(TEAM);
    expect(await bot.modalOf(/Not moved/)).toContain(NOT_NAMED);
    expect(bot.moves()).toHaveLength(1);
    expect(bot.item('OPS-18').formerKeys).toEqual([]);
  },
);

story(
  'move-who nobody-decides-who-may-not',
  'a person who can no longer move items is not shown the item again',
  async () => {
    await using bot = await startMoves(TEAM);
    const { workspace, service } = bot.sandbox;
    await reviewed(bot);
    service.tasks.edit('OPS-18', { title: 'Nothing for Ana any more' });
    await bot.submit();
    await bot.modalOf(/Review again/);
    workspace.setUserGroup('S0REL', { users: [BEN] });
    await bot.restart(TEAM);
    const reads = service.requests('readTask').length;
    await bot.press('Review again');
    expect(await bot.modalOf(/not on the list of people/)).not.toContain('Nothing for Ana');
    expect(service.requests('readTask')).toHaveLength(reads);
  },
);

story(
  'move-who nobody-without-answer',
  'while Slack does not look up the person nothing is sent, and they can try again',
  async () => {
    await using bot = await startMoves(TEAM);
    const { workspace } = bot.sandbox;
    workspace.fault({ method: 'users.info', kind: '500' });
    await bot.type('OPS-18');
    expect(await bot.modalOf(/could not check in Slack/)).toBe(
      'Gatepost could not check in Slack whether you can move work items. Nothing was moved. Try again in a minute. If it keeps happening, tell a Gatepost administrator.',
    );
    workspace.clearFaults();
    await workspace.closeModal({ user: ANA });
    await reviewed(bot);
    await bot.restart(TEAM);
    workspace.fault({ method: 'users.info', kind: '500' });
    await bot.submit();
    expect(await bot.modalOf(/Try again$/)).toBe(
      [
        ':no_entry_sign: *Not moved* · OPS-18 → *Website*',
        'Gatepost could not check in Slack whether you can move work items. Nothing was moved. Try again in a minute. If it keeps happening, tell a Gatepost administrator.',
        'Try again',
      ].join('\n'),
    );
    expect(bot.moves()).toEqual([]);
    workspace.clearFaults();
    await bot.press('Try again');
    await bot.modalOf(/1 item moved/);
  },
);

const rule = (from: string[], to: string[]) => ({
  rules: [{ from, to, who: { groups: ['S0REL'] } }],
});

story(
  'move-who-where nobody-decides-who-may-not',
  'a person who can move only between some projects is told which direction is not allowed',
  async () => {
    await using bot = await startMoves(rule([OPERATIONS], [WEBSITE]));
    await bot.type('PLAT-4');
    expect(await bot.modalOf(/not on the list/)).toBe(
      'You are not on the list of people who can move work items out of this project. Ask a Gatepost administrator.',
    );
    await bot.sandbox.workspace.closeModal({ user: ANA });
    await bot.type('OPS-18 Ledger');
    const elsewhere =
      /You are not on the list of people who can move work items from this project to that one\..*\nProject: /;
    await bot.modalOf(elsewhere);
    expect(await bot.submit({ Project: LEDGER })).toMatch(elsewhere);
    await bot.submit({ Project: WEBSITE });
    await bot.submit({ Open: 'To do' });
    await bot.submit();
    await bot.modalOf(/1 item moved/);
  },
);

story(
  'move-who-where nobody-decides-who-may-not',
  'the rules at the press count, not those at the review',
  async () => {
    await using bot = await startMoves(rule([OPERATIONS], []));
    await reviewed(bot);
    await bot.restart(rule([OPERATIONS], [LEDGER]));
    await bot.submit();
    expect(await bot.modalOf(/Not moved/)).toContain(
      'You are not on the list of people who can move work items from this project to that one. Nothing was moved.',
    );
    expect(bot.moves()).toEqual([]);
  },
);

const [UNA, IVO, DANA] = ['U0UNA', 'U0IVO', 'U0DANA'];
const named = (...users: string[]) => ({ who: { users, groups: [], channel: false } });
const NO_ACCOUNT =
  'No synchronized account in the service has the e-mail address of your Slack profile. Type `/people me` for details and to tell an administrator.';

story(
  'move-account nobody-decides-who-may-not',
  'a person deactivated in or unknown to the service is told why, and sees nothing of the item',
  async () => {
    await using stage = await startMoveStage({ move: named(UNA, IVO) });
    await stage.type('OPS-18', UNA);
    expect(await stage.modalOf(/account/, UNA)).toBe(NO_ACCOUNT);
    await stage.type('OPS-18', IVO);
    expect(await stage.modalOf(/account/, IVO)).toMatch(
      /^Your account in the service is deactivated\. Type `\/people me`/,
    );
    expect(stage.sandbox.service.requests('readTask')).toEqual([]);
  },
);

story('move-account', 'a person without an account can move items if none is needed', async () => {
  await using stage = await startMoveStage({ move: { ...named(UNA, IVO), identity: 'omit' } });
  await stage.type('OPS-18', UNA);
  expect(await stage.modalOf(/Project:/, UNA)).toContain('Renew the certificates');
  await stage.type('OPS-18', IVO);
  await stage.modalOf(/is deactivated/, IVO);
});

story(
  'move-account nobody-decides-who-may-not no-message-lies',
  'a person deactivated in the service after the review moves nothing, and is told',
  async () => {
    await using stage = await startMoveStage();
    await reviewed(stage);
    stage.sandbox.service.setUser(ANAS_ACCOUNT, { active: false });
    expect(await stage.submit()).toBe(
      ':hourglass_flowing_sand: *Checking whether you can…* · OPS-18 → *Website*',
    );
    expect(await stage.modalOf(/Not moved/)).toMatch(
      /^:no_entry_sign: \*Not moved\* · OPS-18 → \*Website\*\nYour account in the service is deactivated\. Nothing was moved\. Type/,
    );
    expect(stage.moves()).toEqual([]);
  },
);

story.long(
  'move-account move-again',
  'a person deactivated in the service gets nothing sent again, and is not shown the item again',
  async () => {
    await using stage = await startMoveStage();
    const { service } = stage.sandbox;
    await reviewed(stage);
    service.tasks.edit('OPS-18', { title: 'Nothing for Ana any more' });
    await stage.submit();
    await stage.modalOf(/Review again/);
    service.setUser(ANAS_ACCOUNT, { active: false });
    await stage.press('Review again');
    expect(await stage.modalOf(/is deactivated/)).not.toContain('Nothing for Ana');
    service.setUser(ANAS_ACCOUNT, { active: true });
    await stage.sandbox.workspace.closeModal({ user: ANA });
    await reviewed(stage);
    service.fault({ kind: 'dropBefore', operation: 'moveTask', times: 1 });
    await stage.submit();
    await stage.modalOf(/Send the same move again/);
    service.setUser(ANAS_ACCOUNT, { active: false });
    await stage.press('Send the same move again');
    await stage.modalOf(/is deactivated/);
    // The one that was lost.
    expect(stage.moves()).toHaveLength(1);
    expect(stage.item('OPS-18').formerKeys).toEqual([]);
  },
);

story(
  'move-account administrators-told nobody-without-answer',
  'an account that cannot be read is neither accepted nor refused',
  async () => {
    await using stage = await startMoveStage({
      config: (config) => ({ ...config, administrators: { users: [DANA], groups: [] } }),
    });
    const { service, until, workspace } = stage.sandbox;
    const NOT_READ =
      'Gatepost could not read your account in the service, so it is not known whether you can move work items. Nothing was moved. Try again in a minute. If it keeps happening, tell a Gatepost administrator.';
    service.fault({ kind: '500', operation: 'listUsers' });
    await stage.type('OPS-18');
    expect(await stage.modalOf(/account/)).toBe(NOT_READ);
    service.clearFaults();
    await workspace.closeModal({ user: ANA });
    await reviewed(stage);
    service.setVariant({ scimAccess: 'forbidden' });
    await stage.submit();
    expect(await stage.modalOf(/Try again/)).toContain(NOT_READ);
    expect(stage.moves()).toEqual([]);
    await until(() => stage.told(DANA).length > 0, { what: 'a word to the administrator' });
    expect(stage.told(DANA)).toEqual([
      expect.stringMatching(/^The service does not let Gatepost read its accounts \(403\)/),
    ]);
    service.setVariant({ scimAccess: 'open' });
    await stage.press('Try again');
    await stage.modalOf(/1 item moved/);
  },
);
