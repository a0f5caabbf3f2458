import type { Chance } from '../../simulation/chance.ts';
import { Bot, type Sent } from '../bot.ts';
import { oddText, spoiledText, spoiledValue, wellFormed, writtenJson } from '../mutate.ts';
import { Finding, type OpenTarget, type Target } from '../target.ts';

const DEPLOYS = 'C0DEPLOYS';
const FORM = 'application/x-www-form-urlencoded';
const ANA = 'U0ANA';

/**
 * Requests from Slack, signed: valid payloads of this workspace, changed a little. Each is answered, and none breaks a
 * listener.
 */
export const slackTarget: Target = {
  name: 'slack',
  weight: 18,
  async open(chance) {
    const bot = await Bot.start(chance);
    await useEverything(bot);
    const right = [...bot.sent, ...OTHERS];
    return {
      run: (given) => sendOnce(bot, right, given),
      close: () => bot.stop(),
    } satisfies OpenTarget;
  },
};

/** People use every feature once, so that there is something to press and to repeat. */
async function useEverything(bot: Bot): Promise<void> {
  const { sandbox } = bot;
  const { workspace, service, credentials } = sandbox;
  const post = (path: string, body: unknown) =>
    bot.live(
      bot.request({
        method: 'POST',
        path,
        headers: {
          authorization: `Bearer ${credentials.intakeSecret}`,
          'content-type': 'application/json',
        },
        body: Buffer.from(JSON.stringify(body)),
      }),
    );
  for (const route of ['deploys', 'open', 'both']) {
    for (const number of [1, 2]) {
      const { token } = service.createApproval({ prompt: 'May it go on?' });
      await post('/v1/approvals', { token, title: `Deploy ${route} ${number}`, route });
    }
  }
  const status = 'ops-open';
  const projectId = '9c0e5a00-0000-4000-8000-000000000001';
  const updatedAt = '2026-01-05T08:00:00Z';
  await post('/v1/tasks', {
    id: 't-1',
    key: 'OPS-12',
    title: 'A task',
    status,
    projectId,
    updatedAt,
    channel: DEPLOYS,
  });
  await bot.pass(12_000);
  for (const { ts } of [...workspace.messages(DEPLOYS)]) {
    for (const label of ['Reject', 'Approve', 'Move…']) {
      await attempt(bot, workspace.click({ user: ANA, channel: DEPLOYS, ts, label }));
      await attempt(bot, workspace.submit({ user: ANA, values: {} }));
      await attempt(bot, workspace.closeModal({ user: ANA }));
    }
    await attempt(
      bot,
      workspace.shortcut({ user: ANA, callbackId: 'tasks.move', channel: DEPLOYS, ts }),
    );
    await attempt(
      bot,
      workspace.shortcut({ user: ANA, callbackId: 'test-cases.create', channel: DEPLOYS, ts }),
    );
    await attempt(bot, workspace.submit({ user: ANA, values: { Title: 'A case' } }));
  }
  for (const text of COMMANDS) {
    await attempt(bot, workspace.command({ user: ANA, channel: DEPLOYS, text }));
    await attempt(bot, workspace.submit({ user: ANA, values: {} }));
    await attempt(bot, workspace.closeModal({ user: ANA }));
  }
  await bot.pass(5_000);
}

const COMMANDS = [
  '/approvals',
  '/approvals help',
  '/move-task OPS-12 Platform',
  '/move-task',
  '/new-case',
  '/new-case A title --priority high --type manual --suite Smoke --project Checkout',
  '/people',
  '/people me',
  '/people find ana',
  '/people create new.person@example.com',
  '/people forget U0BEN',
  '/people help',
];

/** Ignores what is not possible here. */
async function attempt(bot: Bot, doing: Promise<unknown>): Promise<void> {
  await bot.live(doing.catch(() => undefined));
  await bot.pass(300);
}

const formOf = (payload: unknown): Sent => ({
  contentType: FORM,
  body: new URLSearchParams({ payload: JSON.stringify(payload) }).toString(),
});
const json = (value: unknown): Sent => ({
  contentType: 'application/json',
  body: JSON.stringify(value),
});
const WHO = { user: { id: ANA, team_id: 'T0' }, team: { id: 'T0' }, trigger_id: '1.2.3' };
const EVENT = {
  type: 'event_callback',
  team_id: 'T0',
  api_app_id: 'A0',
  event_id: 'Ev1',
  event_time: 1_767_600_000,
};

/** Requests that the sandbox does not send itself. */
const OTHERS: readonly Sent[] = [
  json({ type: 'url_verification', challenge: 'abc', token: 'x' }),
  json({
    ...EVENT,
    event: {
      type: 'user_change',
      user: { id: ANA, deleted: true, profile: { email: 'ana@example.com' } },
    },
  }),
  json({ ...EVENT, event: { type: 'member_joined_channel', user: 'U0BOT', channel: DEPLOYS } }),
  json({ ...EVENT, event: { type: 'channel_unarchive', channel: DEPLOYS, user: ANA } }),
  json({ ...EVENT, event: { type: 'app_home_opened', user: ANA, tab: 'home' } }),
  json({
    ...EVENT,
    event: { type: 'message', subtype: 'message_changed', message: { text: 'x' } },
  }),
  formOf({
    ...WHO,
    type: 'block_suggestion',
    action_id: 'tasks.project',
    block_id: 'b',
    value: 'pl',
    view: { id: 'V0', callback_id: 'x' },
  }),
  formOf({ ...WHO, type: 'shortcut', callback_id: 'nobody' }),
  formOf({ ...WHO, type: 'workflow_step_edit', callback_id: 'x', workflow_step: {} }),
  formOf({
    ...WHO,
    type: 'interactive_message',
    callback_id: 'x',
    actions: [{ name: 'a', type: 'button' }],
  }),
  formOf({ ...WHO, type: 'dialog_submission', callback_id: 'x', submission: {} }),
  { contentType: FORM, body: 'ssl_check=1&token=x' },
];

/** Failures that Slack or the service cause: unknown ids, an unknown reply address. */
const OUTSIDE = /"error":{"name":"(RemoteFailure|ReadError)"/;

async function sendOnce(bot: Bot, right: readonly Sent[], chance: Chance): Promise<void> {
  bot.taken();
  const original = chance.pick(right) ?? json({});
  const changed = spoilt(original, chance);
  const sent = metadataIn(changed) === metadataIn(original) ? changed : original;
  const reply = await bot.live(bot.slack(sent));
  await bot.pass(chance.often(0.3) ? 1_500 : 20);
  const { logs } = bot.taken();
  const failed = logs.find((line) => /"level":(50|60)/.test(line) && !OUTSIDE.test(line));
  if (failed !== undefined)
    throw new Finding('crash', `it logs an error: ${failed} to ${shown(sent)}`);
  if (
    reply.status >= 500 &&
    !logs.some((line) => line.includes('could not show the error to the person'))
  )
    throw new Finding('crash', `answered ${reply.status} to ${shown(sent)}`);
  const { botToken, signingSecret } = bot.sandbox.credentials;
  const said = `${reply.body}${logs.join('')}`;
  if (said.includes(botToken) || said.includes(signingSecret)) throw new Finding('leak', said);
}

function shown({ body }: Sent): string {
  return decodeURIComponent(
    body.replaceAll('+', ' ').replaceAll(/%(?![0-9a-f]{2})/gi, '%25'),
  ).slice(0, 6_000);
}

function spoilt({ contentType, body }: Sent, chance: Chance): Sent {
  if (chance.often(0.05)) return { contentType, body };
  if (chance.often(0.05)) return { contentType, body: wellFormed(spoiledText(body, chance)) };
  if (contentType !== FORM) {
    return { contentType, body: writtenJson(spoiledValue(JSON.parse(body), chance), chance) };
  }
  const form = new URLSearchParams(body);
  const payload = form.get('payload');
  if (payload !== null) {
    const right = JSON.parse(payload);
    const value = spoiledValue(right, chance);
    const text = writtenJson(withOwnWords(right, value), chance);
    form.set('payload', text);
    return { contentType, body: form.toString() };
  }
  const name = chance.pick([...form.keys()]) ?? 'text';
  const isText = chance.often(0.6);
  if (isText) form.set('text', wordsOf(form.get('text') ?? '', chance));
  else if (chance.often(0.3)) form.delete(name);
  else
    form.set(name, chance.often(0.5) ? oddText(chance) : spoiledText(form.get(name) ?? '', chance));
  return { contentType, body: form.toString() };
}

/** Private metadata that Gatepost has written into a form comes back unchanged. */
function withOwnWords(right: unknown, value: unknown): unknown {
  const own = metadataOf(right);
  const view = viewIn(value);
  if (own !== undefined && view !== undefined && 'private_metadata' in view)
    view.private_metadata = own;
  return value;
}

function metadataOf(value: unknown): unknown {
  return viewIn(value)?.private_metadata;
}

/** A body that is not JSON has none, and is answered accordingly. */
function metadataIn({ body }: Sent): unknown {
  try {
    return metadataOf(JSON.parse(new URLSearchParams(body).get('payload') ?? ''));
  } catch {
    return undefined;
  }
}

function viewIn(value: unknown): { private_metadata?: unknown } | undefined {
  if (typeof value !== 'object' || value === null || !('view' in value)) return undefined;
  const { view } = value;
  return typeof view === 'object' && view !== null ? view : undefined;
}

const FLAGS = [
  '--priority',
  '--type',
  '--suite',
  '--project',
  '--',
  '—project',
  'high',
  'Smoke',
  'Checkout',
  'help',
  'me',
  'find',
  'create',
  'forget',
  'OPS-12',
  'https://example.com/eng/platform/OPS-12',
  '<@U0BEN|ben>',
  '"',
];

function wordsOf(text: string, chance: Chance): string {
  const words = text.split(' ');
  for (let count = chance.whole(1, 4); count > 0; count -= 1) {
    const word = chance.often(0.6) ? chance.pick(FLAGS) : oddText(chance);
    words.splice(chance.whole(0, words.length), chance.whole(0, 1), word ?? '');
  }
  return words.join(' ');
}
