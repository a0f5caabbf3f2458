import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'vitest';
import { approve } from '../support/world.ts';
import { ANA, BEN, effectsOf, type Stage, startStage } from './stage.ts';
import { story } from './story.ts';

/** Connections to the bot, with `text` sent on each. They end with the story. */
async function connections({ app }: Stage, count: number, text: string): Promise<Socket[]> {
  const { hostname, port } = new URL(app.url);
  const sockets = Array.from({ length: count }, () => connect(Number(port), hostname));
  const connected = sockets.map((socket) => once(socket, 'connect'));
  // From the first moment: the bot may close some while others are not there yet, or in the middle of what is sent.
  for (const socket of sockets) socket.on('error', () => socket.destroy());
  await Promise.all(connected);
  for (const socket of sockets) socket.write(text);
  return sockets;
}

/** All that was answered, once the bot has closed the connection, also in the middle of what is sent. */
async function answered(socket: Socket): Promise<string> {
  let text = '';
  socket.on('data', (piece) => {
    text += piece;
  });
  if (!socket.closed) await once(socket, 'close').catch(() => undefined);
  return text;
}

/** Ana presses, is acknowledged and reads the outcome. */
async function decides(stage: Stage, ts: string): Promise<void> {
  await approve(stage, ANA, ts);
  await stage.until(ts, /Approved by <@U0ANA>/);
}

story('click-in-a-flood', 'a thousand idle connections delay no click', async () => {
  await using stage = await startStage();
  const { ts } = await stage.ask();
  const sockets = await connections(stage, 1_000, '');
  await decides(stage, ts);
  for (const socket of sockets) socket.destroy();
});

story(
  'click-in-a-flood',
  'a request with endless headers is cut off, and delays no click',
  async () => {
    await using stage = await startStage();
    const { ts } = await stage.ask();
    const begun = 'POST /slack/events HTTP/1.1\r\nHost: gatepost\r\nX-Slow: ';
    const sockets = await connections(stage, 20, begun);
    await decides(stage, ts);
    for (const text of await Promise.all(sockets.map(answered))) {
      expect(text).toMatch(/^HTTP\/1\.1 408 /);
    }
  },
);

story('click-in-a-flood', 'headers that are too large are refused', async () => {
  await using stage = await startStage();
  const header = `X-Large: ${'a'.repeat(32_000)}\r\n`;
  const [socket] = await connections(
    stage,
    1,
    `POST /v1/approvals HTTP/1.1\r\nHost: gatepost\r\n${header.repeat(4)}\r\n`,
  );
  if (socket === undefined) throw new Error('there is one connection');
  expect(await answered(socket)).toMatch(/^HTTP\/1\.1 431 /);
});

story(
  'click-in-a-flood no-click-lost',
  'a flood of requests from a source does not delay a click on another one',
  async () => {
    await using stage = await startStage({ sandbox: { postRate: null } });
    const { ts } = await stage.ask();
    const flood = Array.from({ length: 400 }, () => stage.send({ title: 'Flood' }));
    await decides(stage, ts);
    const statuses = new Set((await Promise.all(flood)).map(({ status }) => status));
    // Taken, or told to come back; nothing else.
    for (const status of statuses) expect([202, 429, 503]).toContain(status);
  },
);

story(
  'click-in-a-flood click-once nothing-twice',
  'three hundred presses on one message do not delay another message, and decide once',
  async () => {
    await using stage = await startStage();
    const [flooded, other] = await Promise.all([stage.ask(), stage.ask()]);
    const presses = Array.from({ length: 300 }, () => stage.click(BEN, flooded.ts, 'Approve'));
    await decides(stage, other.ts);
    const deliveries = await Promise.all(presses);
    // Taken, or not in time; nothing else.
    expect(deliveries.every(({ sent, status }) => !sent || [200, 503].includes(status))).toBe(true);
    await stage.until(flooded.ts, /Approved by <@U0BEN>/);
    expect(effectsOf(stage, flooded.token)).toEqual(['approve']);
  },
);
