import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'vitest';
import { ANA, BEN, effectsOf, type Stage, startStage } from './stage.ts';
import { story } from './story.ts';

/** How soon a press is acknowledged depends on the machine, which is measured in bench/: here only that it is. */
const PATIENT = { patienceMs: 60_000 };

/** Connections to the bot, with `text` sent on each. They end with the story. */
async function connections({ app }: Stage, count: number, text: string): Promise<Socket[]> {
  const { hostname, port } = new URL(app.url);
  const sockets = Array.from({ length: count }, () => connect(Number(port), hostname));
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  for (const socket of sockets) {
    // The bot may close it in the middle of what is sent.
    socket.on('error', () => socket.destroy());
    socket.write(text);
  }
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
  const { status } = await stage.click(ANA, ts, 'Approve');
  expect(status).toBe(200);
  await stage.until(ts, /Approved by <@U0ANA>/);
}

story('click-in-a-flood', 'a thousand connections that say nothing hold up no click', async () => {
  await using stage = await startStage({ sandbox: PATIENT });
  const { ts } = await stage.ask();
  const sockets = await connections(stage, 1_000, '');
  await decides(stage, ts);
  for (const socket of sockets) socket.destroy();
});

story(
  'click-in-a-flood',
  'a request whose headers do not end is cut off, and holds up no click',
  async () => {
    await using stage = await startStage({ sandbox: PATIENT });
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
  await using stage = await startStage({ sandbox: PATIENT });
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
  'while a source floods the intake a click is acknowledged and decides',
  async () => {
    await using stage = await startStage({ sandbox: { ...PATIENT, postRate: null } });
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
  'while somebody presses three hundred times somebody else decides, and it decides once',
  async () => {
    await using stage = await startStage({ sandbox: PATIENT });
    const [flooded, other] = await Promise.all([stage.ask(), stage.ask()]);
    const presses = Array.from({ length: 300 }, () => stage.click(BEN, flooded.ts, 'Approve'));
    await decides(stage, other.ts);
    const deliveries = await Promise.all(presses);
    expect(deliveries.every(({ sent, status }) => !sent || status === 200)).toBe(true);
    await stage.until(flooded.ts, /Approved by <@U0BEN>/);
    expect(effectsOf(stage, flooded.token)).toEqual(['approve']);
  },
);
