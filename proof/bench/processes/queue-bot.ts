import process from 'node:process';
import { App, type BlockAction, HTTPReceiver } from '@slack/bolt';
import { Queue, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { request } from 'undici';
import { announce } from '../support/announce.ts';

/**
 * A careful bot built from well-maintained parts: a job is in the queue before the click is acknowledged, and a worker
 * in the same process authorizes the person, reads, decides and shows. A failed job is retried.
 */
interface Job {
  readonly id: string;
  readonly user: string;
  readonly channel: string;
  readonly ts: string;
}

const url = process.env.REDIS_URL ?? '';
const reviewers = new Set(process.env.GATEPOST_REVIEWERS?.split(','));
const redis = new Redis(url);
const queue = new Queue<Job>('ballots', {
  connection: new Redis(url),
  defaultJobOptions: {
    attempts: 10,
    backoff: { type: 'exponential', delay: 1_000 },
    removeOnComplete: 1_000,
    removeOnFail: 5_000,
  },
});
const receiver = new HTTPReceiver({ signingSecret: process.env.SLACK_SIGNING_SECRET ?? '' });
const app = new App({
  receiver,
  token: process.env.SLACK_BOT_TOKEN ?? '',
  clientOptions: { slackApiUrl: process.env.SLACK_API_URL ?? '' },
});

app.action<BlockAction>('approvals.ballot.approve', async ({ ack, body }) => {
  const [action] = body.actions;
  const id = action?.type === 'button' ? (action.value ?? '') : '';
  const { channel_id: channel, message_ts: ts } = body.container;
  // One job per approval, however often it is pressed.
  await queue.add('ballot', { id, user: body.user.id, channel, ts }, { jobId: id });
  await ack();
});

async function carryOut({ id, user, channel, ts }: Job): Promise<void> {
  const { user: person } = await app.client.users.info({ user });
  if (person?.deleted === true || !reviewers.has(person?.id ?? '')) return;
  const token = await redis.get(`approval:${id}`);
  const gate = `${process.env.SERVICE_URL}/api/v1/automation/approvals/${token}`;
  const read = await statusOf(await request(gate));
  const status = read === 'PENDING' ? await statusOf(await respond(gate)) : read;
  const text = `${status} by <@${user}>`;
  await app.client.chat.update({
    channel,
    ts,
    text,
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: 'Deploy 4.2 to production' } },
      { type: 'section', text: { type: 'mrkdwn', text: 'All checks are green.' } },
      { type: 'section', text: { type: 'mrkdwn', text } },
    ],
  });
}

function respond(gate: string) {
  return request(gate, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ action: 'approve' }),
  });
}

async function statusOf({ statusCode, body }: Awaited<ReturnType<typeof request>>) {
  // as: the service's response has this shape
  const { status } = (await body.json()) as { readonly status: string };
  if (statusCode !== 200) throw new Error(`the service answered ${statusCode}`);
  return status;
}

const connection = new Redis(url, { maxRetriesPerRequest: null });
const worker = new Worker<Job>('ballots', ({ data }) => carryOut(data), {
  connection,
  concurrency: 20,
});
worker.on('failed', (_job, error) => console.error(error.message));
await worker.waitUntilReady();
const server = await receiver.start({ port: 0, host: '127.0.0.1' });
announce(server);
