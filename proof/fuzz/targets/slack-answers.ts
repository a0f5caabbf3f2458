import type { ModalView } from '@slack/types';
import type { Connect, Exchanged } from '../../../src/core/http/exchange.ts';
import { RemoteFailure } from '../../../src/core/lib/failure.ts';
import { system } from '../../../src/core/lib/system.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import { askIdentityOnce } from '../../../src/core/slack/identity.ts';
import { createLookup } from '../../../src/core/slack/lookup.ts';
import { createModals } from '../../../src/core/slack/modals.ts';
import { createOutbox } from '../../../src/core/slack/outbox.ts';
import { createReplies } from '../../../src/core/slack/replies.ts';
import { createWebClients } from '../../../src/core/slack/web-clients.ts';
import type { Chance } from '../../simulation/chance.ts';
import { spoiledAnswer } from '../answers.ts';
import { Finding, type Target } from '../target.ts';

const BOT_TOKEN = 'xoxb-1a2b3c4d5e6f708192a3';
const API_URL = 'https://slack.invalid/api/';

type Clients = ReturnType<typeof clientsOf>;

interface Call {
  /** Slack's response. */
  readonly right: Readonly<Record<string, unknown>>;
  readonly make: (clients: Clients) => Promise<unknown>;
}

const METADATA = { event_type: 'gatepost', event_payload: { record: '0-abc', post: 'message' } };
const MESSAGES = [
  { type: 'message', ts: '1767600000.000100', user: 'U0BOT', bot_id: 'B0BOT', metadata: METADATA },
];
const USER = {
  id: 'U0ANA',
  team_id: 'T0TEAM',
  name: 'ana',
  deleted: false,
  is_bot: false,
  is_restricted: false,
  is_ultra_restricted: false,
  profile: { email: 'ana@example.com', real_name: 'Ana', display_name: 'ana' },
};
const MORE = { response_metadata: { next_cursor: 'bmV4dA==' } };
const VIEW: ModalView = {
  type: 'modal',
  title: { type: 'plain_text', text: 'Gatepost' },
  blocks: [{ type: 'section', text: { type: 'mrkdwn', text: 'Loading…' } }],
};

const CALLS: readonly [Call, ...Call[]] = [
  {
    right: {
      user_id: 'U0BOT',
      team_id: 'T0TEAM',
      bot_id: 'B0BOT',
      url: 'https://x.slack.com/',
      app_id: 'A0',
    },
    make: ({ interactive }) => askIdentityOnce(interactive),
  },
  {
    right: { channel: 'C0DEPLOYS', ts: '1767600000.000100', message: MESSAGES[0] },
    make: ({ outbox }) =>
      outbox.post({
        channel: 'C0DEPLOYS',
        text: 'x',
        metadata: { record: '0-abc', post: 'message' },
      }),
  },
  {
    right: { channel: 'C0DEPLOYS', ts: '1767600000.000100' },
    make: ({ outbox }) =>
      outbox.update({ channel: 'C0DEPLOYS', ts: '1767600000.000100', text: 'x', blocks: [] }),
  },
  {
    right: { messages: MESSAGES, has_more: true, ...MORE },
    make: ({ outbox }) =>
      outbox.findByMetadata({
        channel: 'C0DEPLOYS',
        sinceAt: 1_767_600_000_000,
        matches: { record: '0-abc', post: 'message' },
      }),
  },
  {
    right: { messages: MESSAGES, has_more: false },
    make: ({ outbox }) => outbox.readMessage({ channel: 'C0DEPLOYS', ts: '1767600000.000100' }),
  },
  { right: { channel: { id: 'D0ANA' } }, make: ({ outbox }) => outbox.openDirectMessage('U0ANA') },
  {
    right: { view: { id: 'V0', hash: '1.abc' } },
    make: ({ modals }) => modals.open('1.2.abc', VIEW),
  },
  {
    right: { view: { id: 'V0' } },
    make: ({ modals }) => modals.update({ id: 'V0', hash: 'h' }, VIEW),
  },
  { right: { user: USER }, make: ({ lookup }) => lookup.person('U0ANA') },
  { right: { user: USER }, make: ({ lookup }) => lookup.userByEmail('ana@example.com') },
  {
    right: { members: ['U0ANA', 'U0BEN'], ...MORE },
    make: ({ lookup }) => lookup.isMember('C0DEPLOYS', 'U0ANA'),
  },
  { right: { users: ['U0ANA'] }, make: ({ lookup }) => lookup.groupMembers('S0GROUP') },
  {
    right: { message_ts: '1767600000.000100' },
    make: ({ replies }) => replies.ephemeral({ channel: 'C0DEPLOYS', user: 'U0ANA', text: 'x' }),
  },
  {
    right: { ts: '1767600000.000100' },
    make: ({ replies }) => replies.direct({ user: 'U0ANA', text: 'x' }),
  },
  {
    right: {},
    make: ({ replies }) => replies.respondUrl('https://slack.invalid/actions/1', { text: 'x' }),
  },
];

/** At most this many wrong responses, so that reading page after page ends. */
const SPOILED_MOST = 5;

/** Slack's responses, right and wrong: a call gives a value or a RemoteFailure without the bot's token. */
export const slackAnswersTarget: Target = {
  name: 'slack-answers',
  weight: 12,
  async open() {
    let answer: () => Exchanged = () => ({
      kind: 'failed',
      sent: false,
      code: 'none',
      message: '',
    });
    let laterMs = 0;
    let logged = '';
    const clients = clientsOf(
      () => ({ send: async () => answer(), close: async () => {} }),
      // An hour passes between inputs, so that no earlier `Retry-After` still applies.
      () => laterMs,
      (line) => {
        logged += line;
      },
    );
    return {
      async run(chance: Chance) {
        const { right, make } = chance.pick(CALLS);
        let answered = 0;
        logged = '';
        laterMs += 3_600_000;
        answer = () => {
          answered += 1;
          if (answered <= SPOILED_MOST)
            return spoiledAnswer(wordsOf(right, chance), [BOT_TOKEN], chance);
          const body = Buffer.from(
            JSON.stringify({ ok: true, ...right, response_metadata: {}, has_more: false }),
          );
          return { kind: 'answered', status: 200, headers: {}, body, code: 'complete' };
        };
        let said = '';
        try {
          await make(clients);
        } catch (error) {
          if (!(error instanceof RemoteFailure)) throw error;
          said = `${error.stack} ${String(error.cause)} ${JSON.stringify(error.facts)}`;
        }
        if (`${said}${logged}`.includes(BOT_TOKEN))
          throw new Finding('leak', `the bot's token is in: ${said}${logged}`);
      },
      close: async () => {},
    };
  },
};

function wordsOf(right: Call['right'], chance: Chance): Record<string, unknown> {
  if (chance.often(0.75)) return { ok: true, ...right };
  const error = chance.pick([
    'ratelimited',
    'channel_not_found',
    'internal_error',
    'user_not_found',
    BOT_TOKEN,
  ]);
  const messages = ['[ERROR] must be less than 3001 characters [json-pointer:/blocks/0/text]'];
  return {
    ok: false,
    error,
    needed: 'chat:write',
    response_metadata: { messages },
    errors: [{ pointer: '/blocks' }],
  };
}

function clientsOf(connect: Connect, monotonic: () => number, log: (line: string) => void) {
  const clock = { now: () => system.clock.now(), monotonic };
  const { timers } = system;
  const timing = TRUE_TIME;
  const warn = (...words: unknown[]) => log(JSON.stringify(words));
  const { interactive, outbox, lookup, slackNow } = createWebClients(
    { botToken: BOT_TOKEN, apiUrl: API_URL, logger: { warn } },
    { clock, timers, timing, connect },
  );
  return {
    interactive,
    outbox: createOutbox({
      client: outbox,
      me: { botUserId: 'U0BOT', appId: null, botId: 'B0BOT' },
      timers,
      timing,
      storeNow: () => clock.now(),
      slackNow,
    }),
    lookup: createLookup({ client: lookup, clock, timers, timing }),
    modals: createModals(interactive),
    replies: createReplies({ client: interactive, apiUrl: API_URL, clock, timers, connect }),
  };
}
