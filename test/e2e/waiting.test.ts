import { expect } from 'vitest';
import { DEPLOYS } from '../support/world.ts';
import { ANA, startStage } from './stage.ts';
import { story } from './story.ts';
import { WAIT_MS, waitAt } from './wait-at.ts';

const DEPLOY = { key: 'checkout/4711/deploy', title: 'Deploy 4.2', message: 'Shall we?' };

story('waiting', 'a waiting automation is told when the request is decided', async () => {
  await using stage = await startStage();
  const { id, ts } = await stage.ask(DEPLOY);
  const short = await waitAt(stage.app.url, stage, id, '1');
  expect(short).toMatchObject({ status: 200, body: { status: 'PENDING', final: false } });
  expect(short.tookMs).toBeGreaterThan(900);
  const all = Array.from({ length: 300 }, () => waitAt(stage.app.url, stage, id, '50'));
  // More wait than a source may have answered at a time.
  await stage.click(ANA, ts, 'Reject');
  for (const { status, body } of await Promise.all(all)) {
    expect(status).toBe(200);
    expect(body).toMatchObject({ status: 'REJECTED', final: true, outcome: { by: [ANA] } });
  }
  const known = await waitAt(stage.app.url, stage, id, '50');
  expect(known.body).toMatchObject({ status: 'REJECTED', final: true });
  expect(known.tookMs).toBeLessThan(WAIT_MS);
  expect(await waitAt(stage.app.url, stage, id, 'long')).toMatchObject({ status: 422 });
  expect(await waitAt(stage.app.url, stage, 'unknown', '50')).toMatchObject({ status: 404 });
});

story('waiting', 'a waiting automation is told when the message cannot be posted', async () => {
  await using stage = await startStage();
  stage.sandbox.workspace.fault({
    method: 'chat.postMessage',
    kind: 'refused',
    error: 'not_in_channel',
    when: ({ channel }) => channel === DEPLOYS,
  });
  const { id } = await stage.send(DEPLOY);
  const { body } = await waitAt(stage.app.url, stage, id, '50');
  expect(body).toMatchObject({
    status: 'BLOCKED',
    final: false,
    posting: { state: 'blocked', reason: 'not_in_channel' },
  });
  const { body: withdrawn } = await stage.sandbox.automation.withdraw(id);
  expect(withdrawn).toMatchObject({ status: 'WITHDRAWN' });
  const after = await waitAt(stage.app.url, stage, id, '50');
  expect(after.body).toMatchObject({ status: 'WITHDRAWN', final: true });
});
