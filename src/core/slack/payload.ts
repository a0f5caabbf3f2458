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

const word = z.string().optional().catch(undefined);
const body = z.looseObject({
  type: word,
  command: word,
  user_id: word,
  action_id: word,
  callback_id: word,
  response_url: word,
  user: z.looseObject({ id: word }).optional().catch(undefined),
  event: z.looseObject({ type: word }).optional().catch(undefined),
  actions: z
    .array(z.looseObject({ action_id: word }))
    .optional()
    .catch(undefined),
  response_urls: z
    .array(z.looseObject({ response_url: word }))
    .optional()
    .catch(undefined),
  view: z
    .looseObject({
      callback_id: word,
      blocks: z
        .array(z.looseObject({ type: word, block_id: word }))
        .optional()
        .catch(undefined),
    })
    .optional()
    .catch(undefined),
});
type Body = z.infer<typeof body>;

/** Reads the parsed body of a request. Never throws: anything unknown is `other`. */
export function readPayload(value: unknown): Payload {
  const read = body.safeParse(value).data;
  if (read === undefined) {
    return { kind: 'other', id: '', user: null, responseUrl: null, inputBlock: null };
  }
  const input = read.view?.blocks?.find((block) => block.type === 'input');
  return {
    ...kindOf(read),
    user: read.user?.id ?? read.user_id ?? null,
    responseUrl: read.response_url ?? read.response_urls?.[0]?.response_url ?? null,
    inputBlock: input?.block_id ?? null,
  };
}

const someone = z.looseObject({ id: z.string() });
const place = z.looseObject({ id: z.string() });
const text = z.string().nullish();
const used = {
  user: someone,
  team: z.looseObject({}).nullish(),
  trigger_id: text,
  response_url: text,
};

const acted = z.looseObject({
  action_id: z.string(),
  value: text,
  action_ts: text,
  selected_option: z.looseObject({ value: text }).nullish(),
});

/** The members that Bolt and the listeners use without checking, as Slack documents them. */
const FORMS = {
  action: z.looseObject({
    ...used,
    actions: z.tuple([acted]),
    // Bolt reads its id if there is one.
    channel: place.optional(),
    container: z.looseObject({
      message_ts: z.string().optional(),
      channel_id: z.string().optional(),
    }),
    message: z.looseObject({}).optional(),
    view: submittedModal.optional(),
  }),
  command: z.looseObject({
    text: z.string(),
    user_id: z.string(),
    channel_id: z.string(),
    trigger_id: z.string(),
    response_url: text,
  }),
  event: z.looseObject({
    authorizations: z.array(z.looseObject({})).nullish(),
    event: z.looseObject({
      type: z.string(),
      user: z.union([z.string(), z.looseObject({})]).optional(),
      subteam: z.looseObject({}).optional(),
      channel: z.union([z.string(), place]).optional(),
      item: z.looseObject({}).optional(),
    }),
  }),
  options: z.looseObject({
    ...used,
    action_id: z.string(),
    value: z.string(),
    channel: place.optional(),
    view: submittedModal,
  }),
  // There are no listeners for these, and Bolt may mistake them for another kind.
  other: z.never(),
  shortcut: z.union([
    z.looseObject({ ...used, type: z.literal('shortcut'), callback_id: z.string() }),
    z.looseObject({
      ...used,
      callback_id: z.string(),
      channel: place,
      message: z.looseObject({ text }),
      message_ts: z.string(),
    }),
  ]),
  view: z.looseObject({
    ...used,
    view: submittedModal,
    response_urls: z.array(z.looseObject({})).optional(),
  }),
  view_closed: z.looseObject({ ...used, view: z.looseObject({ callback_id: z.string() }) }),
} satisfies Record<PayloadKind, z.ZodType>;

/** Whether the body has the shape that Slack documents for its kind. */
export function isAsDocumented(value: unknown, kind: PayloadKind): boolean {
  return FORMS[kind].safeParse(value).success;
}

function kindOf(read: Body): Pick<Payload, 'kind' | 'id'> {
  if (read.event) return { kind: 'event', id: read.event.type ?? '' };
  if (read.command !== undefined) return { kind: 'command', id: read.command };
  switch (read.type) {
    case 'block_actions':
      return { kind: 'action', id: read.actions?.[0]?.action_id ?? '' };
    case 'block_suggestion':
      return { kind: 'options', id: read.action_id ?? '' };
    case 'shortcut':
    case 'message_action':
      return { kind: 'shortcut', id: read.callback_id ?? '' };
    case 'view_submission':
      return { kind: 'view', id: read.view?.callback_id ?? '' };
    case 'view_closed':
      return { kind: 'view_closed', id: read.view?.callback_id ?? '' };
    default:
      return { kind: 'other', id: '' };
  }
}
