import { describe, expect, vi } from 'vitest';
import { MODE } from '../../support/bot-config.ts';
import {
  type ConnectProxy,
  onlyThrough,
  type ProxyWay,
  startConnectProxy,
} from '../../support/connect-proxy.ts';
import { PROGRAM } from '../../support/program.ts';
import { story } from '../story.ts';
import { runProgram } from './run-program.ts';
import { effectsOf, type Stage, startStage } from './stage.ts';

/** A request with a decision, as it goes through a tunnel. */
const DECISION = /^POST \S*\/approvals\//;
const AROUND = 'went around the proxy';

/** On a folder: Redis would be reached directly. */
async function startProxied(proxy: ConnectProxy): Promise<Stage> {
  return startStage('embedded', onlyThrough(proxy));
}

function went({ bot }: Stage): readonly string[] {
  return bot.output.filter((line) => line.includes(AROUND));
}

describe.concurrent('a bot whose only way out is a proxy', () => {
  story(
    'proxy nothing-twice',
    'decides, and continues after it was killed while sending a decision',
    async () => {
      await using proxy = await startConnectProxy();
      await using stage = await startProxied(proxy);
      const { sandbox } = stage;
      const { token, ts } = await stage.ask();
      stage.killedAt({ operation: 'respond', kind: 'dropAfter' });
      await stage.click('U0ANA', ts, 'Approve');
      await sandbox.until(() => sandbox.service.requests('respond').length === 1);
      await stage.restart();
      expect(await stage.until(ts, /Approved/)).toContain('The decision of <@U0ANA> was sent.');
      expect(effectsOf(sandbox, token)).toBe(1);
      expect(went(stage)).toEqual([]);
      expect(proxy.forwarded).toEqual([]);
      if (MODE === 'socket') expect(sandbox.workspace.sockets.open()).toBe(2);
    },
  );

  for (const kind of ['cutBefore', 'cutAfter'] as const) {
    story(
      'proxy nothing-twice no-click-lost',
      `decides once if the tunnel breaks: ${kind}`,
      async () => {
        await using proxy = await startConnectProxy();
        await using stage = await startProxied(proxy);
        const { token, ts } = await stage.ask();
        proxy.way = { kind, what: DECISION };
        await stage.click('U0ANA', ts, 'Approve');
        await vi.waitUntil(() => proxy.broken > 0, { timeout: 60_000 });
        proxy.way = { kind: 'open' };
        await stage.until(ts, /Approved/);
        expect(effectsOf(stage.sandbox, token)).toBe(1);
        expect(stage.sandbox.service.requests('respond')).toHaveLength(1);
        expect(went(stage)).toEqual([]);
      },
    );
  }

  for (const way of [
    { kind: 'refuse', status: 407 },
    { kind: 'refuse', status: 502 },
    { kind: 'hang' },
    { kind: 'cut' },
  ] satisfies ProxyWay[]) {
    const name = 'status' in way ? `${way.kind}, ${way.status}` : way.kind;
    story(
      'proxy nothing-twice no-click-lost',
      `sends a decision for the first time once tunnels open again: ${name}`,
      async () => {
        await using proxy = await startConnectProxy();
        await using stage = await startProxied(proxy);
        const { sandbox } = stage;
        const { token, ts } = await stage.ask();
        const click = stage.click('U0ANA', ts, 'Approve');
        expect((await click).acknowledged).toBe(true);
        await stage.until(ts, /Approved by <@U0ANA>/);
        const other = await stage.ask();
        proxy.way = way;
        proxy.cut();
        const before = proxy.asked.length;
        if (MODE === 'http') await stage.click('U0ANA', other.ts, 'Approve');
        await vi.waitUntil(() => proxy.asked.length > before, { timeout: 60_000 });
        proxy.way = { kind: 'open' };
        if (MODE === 'socket') {
          await sandbox.until(() => sandbox.workspace.sockets.open() === 2);
          await stage.click('U0ANA', other.ts, 'Approve');
        }
        await stage.until(other.ts, /Approved by <@U0ANA>/);
        expect(effectsOf(sandbox, token)).toBe(1);
        expect(effectsOf(sandbox, other.token)).toBe(1);
        expect(sandbox.service.requests('respond')).toHaveLength(2);
        expect(went(stage)).toEqual([]);
      },
    );
  }

  story(
    'proxy nothing-twice no-click-lost',
    'continues after the proxy was killed and restarted',
    async () => {
      await using proxy = await startConnectProxy();
      await using stage = await startProxied(proxy);
      const { sandbox } = stage;
      const { token, ts } = await stage.ask();
      await proxy.kill();
      if (MODE === 'http') await stage.click('U0ANA', ts, 'Approve');
      await sandbox.until(() => sandbox.workspace.sockets.open() === 0);
      await proxy.restart();
      if (MODE === 'socket') {
        await sandbox.until(() => sandbox.workspace.sockets.open() === 2);
        await stage.click('U0ANA', ts, 'Approve');
      }
      await stage.until(ts, /Approved by <@U0ANA>/);
      expect(effectsOf(sandbox, token)).toBe(1);
      expect(went(stage)).toEqual([]);
    },
  );
});

describe('a command whose only way out is a proxy', () => {
  story(
    'proxy nothing-twice',
    'ask continues by its key after kills and broken tunnels',
    async () => {
      await using proxy = await startConnectProxy();
      await using stage = await startStage('embedded', { GATEPOST_REVIEWERS: 'U0ANA' });
      const { sandbox } = stage;
      const env = {
        ...onlyThrough(proxy),
        GATEPOST_URL: stage.bot.url,
        GATEPOST_INTAKE_SECRET: sandbox.credentials.intakeSecret,
      };
      const words = [PROGRAM, 'ask', '--title', 'Deploy', '--key', 'one', '--wait'];
      proxy.way = { kind: 'cutAfter', what: /^POST / };
      const first = runProgram(words, env);
      await vi.waitUntil(() => proxy.broken > 0, { timeout: 60_000 });
      proxy.way = { kind: 'open' };
      const messages = () =>
        sandbox.workspace
          .messages('C0DEPLOYS')
          .filter(({ ts, thread_ts = ts }) => thread_ts === ts);
      await sandbox.until(() => messages().length > 0);
      await first[Symbol.asyncDispose]();
      await using second = runProgram(words, env);
      await second.line(/Waiting/);
      const broken = proxy.broken;
      proxy.way = { kind: 'cutBefore', what: /^GET / };
      proxy.cut();
      await vi.waitUntil(() => proxy.broken > broken, { timeout: 60_000 });
      proxy.way = { kind: 'open' };
      await second.line(/Trying again/);
      const [message] = messages();
      await stage.click('U0ANA', message?.ts ?? '', 'Approve');
      expect(await second.ended).toBe(0);
      expect(messages()).toHaveLength(1);
      expect([...first.output, ...second.output].join('\n')).not.toContain(AROUND);
    },
  );

  story('proxy', 'doctor and people use the proxy too', async () => {
    await using proxy = await startConnectProxy();
    await using stage = await startProxied(proxy);
    const env = { ...stage.env, GATEPOST_URL: stage.bot.url };
    for (const words of [['doctor'], ['people', 'list']]) {
      const before = proxy.asked.length;
      const { code, said } = await ranWell(words, env);
      expect(code, said).toBe(0);
      expect(said).not.toContain(AROUND);
      expect(proxy.asked.length).toBeGreaterThan(before);
    }
  });
});

/** Runs a command, again where it found something too slow, as on a busy machine: what is wrong stays wrong. */
async function ranWell(
  words: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
) {
  for (let tries = 1; ; tries += 1) {
    await using program = runProgram([PROGRAM, ...words], env);
    const code = await program.ended;
    const said = program.output.join('\n');
    if (code === 0 || tries === 5) return { code, said };
  }
}
