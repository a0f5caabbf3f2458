import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterEach, beforeEach } from 'vitest';
import { type DemoOptions, startDemo } from '../../sandbox/demo.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { oneBrowser } from '../../sandbox/test/browser/one-browser.ts';

export interface DemoStage {
  sandbox: Sandbox;
  /** A window in which somebody is that person; the first one unless named. */
  readonly open: (user?: string, options?: BrowserContextOptions) => Promise<Page>;
  /** Ends it, does something while it is away, and starts it at the same address. */
  readonly restart: (meanwhile: () => Promise<unknown>) => Promise<void>;
}

/** What `npm run demo` starts, on free ports, a new one for every test: the real bot in the sandbox, and browser windows. */
export function demoStage(options: DemoOptions = {}): DemoStage {
  const ends: (() => Promise<unknown>)[] = [];
  const start = async (port = 0): Promise<void> => {
    // A busy machine takes longer to acknowledge than Slack waits.
    const started = await startDemo({ patienceMs: 60_000, port, ...options });
    ends.push(() => started.stop());
    stage.sandbox = started.sandbox;
  };
  const stop = async (): Promise<void> => {
    for (const end of ends.splice(0).reverse()) await end();
  };
  const stage = {
    open: (user, options) =>
      browser.open(user ? `${stage.sandbox.url}/?as=${user}` : stage.sandbox.url, options),
    async restart(meanwhile) {
      browser.allowComplaints();
      await stop();
      await meanwhile();
      await start(Number(new URL(stage.sandbox.url).port));
    },
    // The sandbox is filled in before each test.
  } as DemoStage;
  beforeEach(() => start());
  afterEach(stop);
  // Its windows are closed first: they would complain that the sandbox is gone.
  const browser = oneBrowser();
  return stage;
}
