import { z } from 'zod';
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

/** What a request of Slack is about, as far as it is needed to answer it in any case. */
export interface Payload {
  readonly kind: PayloadKind;
  /** The action, callback or command it names; empty when it names none. */
  readonly id: string;
  readonly user: string | null;
  readonly responseUrl: string | null;
  /** The first input of a submitted view: an error can be shown there. */
  readonly inputBlock: string | null;
}

/** Reads the parsed body of a request. Never throws: what is not understood is `other`. */
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
  return path.reduce(
    (parent, name) =>
      typeof parent === 'object' && parent !== null ? Reflect.get(parent, name) : undefined,
    value,
  );
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

/** What Bolt and the listeners read without a look, as Slack documents it. */
const FORMS = {
  action: z.object({
    ...used,
    actions: z.tuple([acted]),
    // Bolt reads its id wherever there is one.
    channel: place.optional(),
    container: z.object({
      message_ts: z.string().optional(),
      channel_id: z.string().optional(),
    }),
    message: z.object({}).optional(),
    view: submittedModal.optional(),
  }),
  command: z.object({
    text: z.string(),
    user_id: z.string(),
    channel_id: z.string(),
    trigger_id: z.string(),
    response_url: text,
  }),
  event: z.object({
    authorizations: z.array(z.object({})).nullish(),
    event: z.object({
      type: z.string(),
      user: z.union([z.string(), z.object({})]).optional(),
      subteam: z.object({}).optional(),
      channel: z.union([z.string(), place]).optional(),
      item: z.object({}).optional(),
    }),
  }),
  options: z.object({
    ...used,
    action_id: z.string(),
    value: z.string(),
    channel: place.optional(),
    view: submittedModal,
  }),
  // Nobody listens to these, and Bolt may take them for something else.
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

/** Whether the body of a request has the form that Slack documents for its kind. */
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
