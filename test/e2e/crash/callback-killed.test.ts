import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { CALLBACK_SECRET, startReceiver } from '../../support/webhook-receiver.ts';
import { ANA } from '../stage.ts';
import { story } from '../story.ts';
import { everyStore, startStage } from './stage.ts';

for (const store of await everyStore()) {
  story(
    'callback no-click-lost',
    `a callback interrupted by a crash is sent again with the same id, on the ${store} store`,
    async () => {
      await using receiver = await startReceiver();
      const folder = await mkdtemp(join(tmpdir(), 'gatepost-callback-'));
      const path = join(folder, 'gatepost.yaml');
      await writeFile(
        path,
        `sources:
  - id: default
    secret: GATEPOST_INTAKE_SECRET
    routes: [default]
    kinds: [gate]
    callback: { url: "${receiver.url}", secret: CALLBACK_SECRET }
`,
      );
      await using stage = await startStage(store, { GATEPOST_CONFIG: path, CALLBACK_SECRET });
      const decided = () => receiver.received.filter(({ type }) => type === 'approval.decided');
      receiver.answer(({ type }) => (type === 'approval.decided' ? 'hang' : 204));
      const { ts } = await stage.ask({
        key: 'checkout/4711/deploy',
        title: 'Deploy 4.2',
        message: 'Shall we?',
      });
      await stage.click(ANA, ts, 'Approve');
      await vi.waitUntil(() => decided().length === 1, { timeout: 60_000, interval: 50 });
      stage.kill();
      receiver.answer(() => 204);
      await stage.restart();
      await vi.waitUntil(() => decided().length === 2, { timeout: 90_000, interval: 100 });
      expect(new Set(decided().map(({ id }) => id)).size).toBe(1);
      await rm(folder, { recursive: true });
    },
  );
}
