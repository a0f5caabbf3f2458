import { expect, test } from 'vitest';
import { startBotProcess } from '../../support/bot-process.ts';
import { connectAgent, GENERATIONS } from '../../support/mcp-clients.ts';
import { canStartRedis } from '../../support/redis.ts';
import { DEPLOYS, messageOf } from '../../support/world.ts';
import { openDoor } from '../door.ts';
import { startStage } from './stage.ts';

/**
 * Agents ask over HTTP, through a proxy that leads to two replicas in turn and cuts every answer after 30 s. The clients
 * notice nothing of that before their own limit.
 */

const PROXY_LIMIT_MS = 30_000;

test.skipIf(!(await canStartRedis()))(
  'an agent waits through a proxy that cuts after 30 s',
  async () => {
    await using stage = await startStage('redis');
    await using other = await startBotProcess(stage.sandbox, stage.env);
    await using door = await openDoor(() => 'any', { limitMs: PROXY_LIMIT_MS });
    door.leadTo(stage.bot.url, other.url);
    const headers = { authorization: `Bearer ${stage.sandbox.credentials.intakeSecret}` };
    const wait = async (of: (typeof GENERATIONS)[number]) => {
      await using agent = await connectAgent(of, { url: door.url, headers });
      const asked = await agent.call('request_approval', {
        title: 'Apply the plan',
        change: `terraform apply, ${of}`,
        reviewers: ['U0ANA'],
      });
      const { id } = asked.facts;
      const [own = ''] = String(id).split('.');
      const { ts } = await stage.sandbox.until(() =>
        messageOf(stage.sandbox.workspace.messages(DEPLOYS), own),
      );

      // As the tool waits by itself, the answer is there in time.
      const first = await agent.call('wait_for_approval', { id });
      expect(first.facts).toMatchObject({ status: 'PENDING', approved: false });

      // A longer one is cut, and what is decided after that is not lost with its answer.
      const given = new AbortController();
      let heard = 0;
      const cut = agent.call(
        'wait_for_approval',
        { id, seconds: 50 },
        {
          signal: given.signal,
          onprogress() {
            heard += 1;
          },
        },
      );
      const unanswered = expect(cut).rejects.toThrow();
      await expect.poll(() => heard).toBeGreaterThan(2);
      door.cut();
      await stage.click('U0ANA', ts, 'Approve');
      await stage.until(ts, /Approved by/);
      given.abort();
      await unanswered;
      const last = await agent.call('wait_for_approval', { id });
      expect(last.facts).toMatchObject({ id, status: 'APPROVED', approved: true, by: ['U0ANA'] });
    };
    for (const of of GENERATIONS) await wait(of);
  },
);
