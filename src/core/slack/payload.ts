import * as z from 'zod';
import { submittedModal } from './form.ts';

export type PayloadKind =
  | 'action'
  | 'command'
  | 'event'
  | 'options'
  | 'shortcut'
  | 'view'
  | 'view_closed'
  | 'other';

/** The parts of a Slack request that are needed to answer it in every case. */
export interface Payload {
  readonly kind: PayloadKind;
  /** The id of the action or callback, or the command; empty when there is none. */
  readonly id: string;
  readonly user: string | null;
  readonly responseUrl: string | null;
  /** The first input of a submitted view, where an error can be shown. */
  readonly inputBlock: string | null;
}

/** Reads the parsed body of a request. Never throws: anything unknown is `other`. */
export function readPayload(body: unknown): Payload {
  const blocks = at(body, 'view', 'blocks');
  const input = Array.isArray(blocks)
    ? blocks.find((block) => at(block, 'type') === 'input')
    : undefined;
  return {
    ...kindOf(body),
    user: wordAt(body, 'user', 'id') ?? wordAt(body, 'user_id') ?? null,
    responseUrl:
      wordAt(body, 'response_url') ?? wordAt(body, 'response_urls', '0', 'response_url') ?? null,
    inputBlock: wordAt(input, 'block_id') ?? null,
  };
}

function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const name of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = (found as Readonly<Record<string, unknown>>)[name]; // as: any object has members
  }
  return found;
}

function wordAt(value: unknown, ...path: readonly string[]): string | undefined {
  const word = at(value, ...path);
  return typeof word === 'string' ? word : undefined;
}

const someone = z.object({ id: z.string() });
const place = z.object({ id: z.string() });
const text = z.string().nullish();
const used = {
  user: someone,
  team: z.object({}).nullish(),
  trigger_id: text,
  response_url: text,
};

const acted = z.object({
  action_id: z.string(),
  value: text,
  action_ts: text,
  selected_option: z.object({ value: text }).nullish(),
});

const action = {
  ...used,
  actions: z.tuple([acted]),
  // Bolt reads its id if there is one.
  channel: place.optional(),
  message: z.object({}).optional(),
};
const messageContainer = z.object({ message_ts: z.string(), channel_id: z.string() });
const inChannel = z.object({ channel: z.string() });

/** What the listeners use of an event. */
const EVENTS: ReadonlyMap<string, z.ZodType> = new Map<string, z.ZodType>([
  [
    'app_home_opened',
    z.object({ user: z.string(), view: z.object({ private_metadata: z.string() }).nullish() }),
  ],
  ['channel_unarchive', inChannel],
  ['group_unarchive', inChannel],
  ['member_joined_channel', inChannel],
]);

/** The members that Bolt and the listeners use without checking, as Slack documents them. */
const FORMS = {
  // In a modal or on the Home tab, or on a message.
  action: z.union([
    z.object({ ...action, container: messageContainer.partial(), view: submittedModal }),
    z.object({ ...action, container: messageContainer, view: z.never().optional() }),
  ]),
  command: z.object({
    text: z.string(),
    user_id: z.string(),
    channel_id: z.string(),
    trigger_id: z.string(),
    response_url: text,
  }),
  event: z.object({
    authorizations: z.array(z.object({})).nullish(),
    event: z
      .looseObject({
        type: z.string(),
        user: z.union([z.string(), z.object({})]).optional(),
        subteam: z.object({}).optional(),
        channel: z.union([z.string(), place]).optional(),
        item: z.object({}).optional(),
      })
      .refine((event) => EVENTS.get(event.type)?.safeParse(event).success ?? true),
  }),
  options: z.object({
    ...used,
    action_id: z.string(),
    value: z.string(),
    channel: place.optional(),
    view: submittedModal,
  }),
  // There are no listeners for these, and Bolt may mistake them for another kind.
  other: z.never(),
  shortcut: z.union([
    z.object({ ...used, type: z.literal('shortcut'), callback_id: z.string() }),
    z.object({
      ...used,
      callback_id: z.string(),
      channel: place,
      message: z.object({ text }),
      message_ts: z.string(),
    }),
  ]),
  view: z.object({
    ...used,
    view: submittedModal,
    response_urls: z.array(z.object({})).optional(),
  }),
  view_closed: z.object({ ...used, view: z.object({ callback_id: z.string() }) }),
} satisfies Record<PayloadKind, z.ZodType>;

/** Whether the body has the shape that Slack documents for its kind. */
export function isAsDocumented(value: unknown, kind: PayloadKind): boolean {
  return FORMS[kind].safeParse(value).success;
}

function kindOf(body: unknown): Pick<Payload, 'kind' | 'id'> {
  const command = wordAt(body, 'command');
  if (typeof at(body, 'event') === 'object' && at(body, 'event') !== null)
    return { kind: 'event', id: wordAt(body, 'event', 'type') ?? '' };
  if (command !== undefined) return { kind: 'command', id: command };
  switch (at(body, 'type')) {
    case 'block_actions':
      return { kind: 'action', id: wordAt(body, 'actions', '0', 'action_id') ?? '' };
    case 'block_suggestion':
      return { kind: 'options', id: wordAt(body, 'action_id') ?? '' };
    case 'shortcut':
    case 'message_action':
      return { kind: 'shortcut', id: wordAt(body, 'callback_id') ?? '' };
    case 'view_submission':
      return { kind: 'view', id: wordAt(body, 'view', 'callback_id') ?? '' };
    case 'view_closed':
      return { kind: 'view_closed', id: wordAt(body, 'view', 'callback_id') ?? '' };
    default:
      return { kind: 'other', id: '' };
  }
}
