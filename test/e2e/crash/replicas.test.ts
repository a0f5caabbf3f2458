import { describe, expect } from 'vitest';
import type { Delivery } from '../../../sandbox/workspace/user-actions.ts';
import { botAddress } from '../../support/bot-config.ts';
import { type BotProcess, startBotProcess } from '../../support/bot-process.ts';
import { canStartRedis } from '../../support/redis.ts';
import { askUntilTaken, DEPLOYS, messageOf } from '../../support/world.ts';
import { postsOf } from '../aftermath.ts';
import { story } from '../story.ts';
import { effectsOf, type Stage, startStage } from './stage.ts';

const APPROVALS = 20;

describe.skipIf(!(await canStartRedis()))('two replicas', () => {
  story(
    'nothing-twice click-race',
    'carry out one of two simultaneous clicks, and tell the other person',
    async () => {
      await using stage = await startStage('redis');
      await using other = await startReplica(stage);
      const decided = await Promise.all(
        Array.from({ length: APPROVALS }, async (_, at) => {
          const approval = await askOf(stage, at % 2 === 0 ? stage.bot : other);
          const clicks = await pressedAtOnce(stage, [stage.bot, other], approval.ts);
          expect(clicks.map(({ acknowledged }) => acknowledged)).toEqual([true, true]);
          return { ...approval, shown: await stage.until(approval.ts, DECIDED) };
        }),
      );
      for (const { id, ts, token, shown } of decided) {
        const winner = /by <@(\w+)>/.exec(shown)?.[1];
        expect(['U0ANA', 'U0BEN']).toContain(winner);
        expect(shown).toContain(winner === 'U0ANA' ? 'Approved' : 'Rejected');
        expect(effectsOf(stage.sandbox, token)).toBe(1);
        expect(
          postsOf(stage.sandbox, id).filter((post) => post.startsWith('message')),
        ).toHaveLength(1);
        // It may have folded since.
        expect(stage.read(ts).split('\n')[1]).toBe(shown.split('\n')[1]);
      }
      const told = () => [...stage.told('U0ANA'), ...stage.told('U0BEN')];
      await stage.sandbox.until(() => told().length >= APPROVALS, { what: 'every loser is told' });
      expect(told()).toHaveLength(APPROVALS);
      for (const text of told()) expect(text).toMatch(/was not counted\.$/);
      expect(stage.sandbox.service.requests('respond')).toHaveLength(APPROVALS);
    },
  );

  story(
    'no-click-lost nothing-twice',
    "finish each other's work after one of them was killed",
    async () => {
      await using stage = await startStage('redis');
      await using other = await startReplica(stage);
      const asked = await Promise.all(
        Array.from({ length: 6 }, (_, at) => askOf(stage, at % 2 === 0 ? stage.bot : other)),
      );
      stage.sandbox.service.fault({ operation: 'respond', kind: 'latency', ms: 1_500 });
      connect(stage, other);
      const clicks = await Promise.all(asked.map(({ ts }) => stage.click('U0ANA', ts, 'Approve')));
      expect(clicks.every(({ acknowledged }) => acknowledged)).toBe(true);
      await stage.sandbox.until(() => stage.sandbox.service.requests('respond').length > 2);
      await other.kill();
      stage.sandbox.service.clearFaults();
      connect(stage, stage.bot);
      for (const { ts, token } of asked) {
        await stage.until(ts, /Approved/);
        expect(effectsOf(stage.sandbox, token)).toBe(1);
      }
    },
  );

  story('nothing-twice', 'poll each approval as often as one would', async () => {
    await using stage = await startStage('redis');
    await using other = await startReplica(stage);
    const asked = await Promise.all(
      Array.from({ length: 6 }, (_, at) => askOf(stage, at % 2 === 0 ? stage.bot : other)),
    );
    const { sandbox } = stage;
    const looksAt = (token: string) =>
      sandbox.service
        .requests('getApproval')
        .flatMap((each) => (each.token === token ? each.at : []));
    await sandbox.until(() => asked.every(({ token }) => looksAt(token).length >= 3), {
      what: 'two polls of each',
    });
    for (const { token } of asked) {
      const [first = 0, second = 0, third = 0] = looksAt(token);
      // Every 15 s, less a tenth; two that do not know of each other would ask twice as often.
      expect(Math.min(second - first, third - second)).toBeGreaterThan(10_000);
    }
  });
});

const DECIDED = /(Approved|Rejected) by/;

/** A second bot on the same records. */
function startReplica(stage: Stage): Promise<BotProcess> {
  return startBotProcess(stage.sandbox, stage.env);
}

function connect({ sandbox }: Stage, { url }: BotProcess): void {
  sandbox.connectBot(botAddress(url));
}

/** Asks through this bot, whose address is taken when the call begins, and waits for the message. */
async function askOf(stage: Stage, bot: BotProcess) {
  const { workspace } = stage.sandbox;
  connect(stage, bot);
  const { id, token } = await askUntilTaken(stage.sandbox, { message: 'Deploy?' });
  const message = await stage.sandbox.until(() => messageOf(workspace.messages(DEPLOYS), id), {
    what: 'the message',
  });
  return { id, token, ts: message.ts };
}

/** Ana approves at one replica while Ben rejects at the other. */
function pressedAtOnce(
  stage: Stage,
  [one, other]: readonly [BotProcess, BotProcess],
  ts: string,
): Promise<Delivery[]> {
  connect(stage, one);
  const ana = stage.click('U0ANA', ts, 'Approve');
  connect(stage, other);
  const ben = stage.click('U0BEN', ts, 'Reject');
  return Promise.all([ana, ben]);
}
