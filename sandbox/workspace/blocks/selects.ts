import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import { confirm, either, list, plain, words } from './texts.ts';

/** For selects. */
const option = z.strictObject({
  text: plain(75),
  value: words(75),
  description: plain(75).optional(),
});

/** For radio buttons and checkboxes, which can be formatted. */
export const formattedOption = z.strictObject({
  text: either(75),
  value: words(75),
  description: either(75).optional(),
});

/** For overflow menus, which can have a URL. */
export const menuOption = option.extend({ url: words(3000).optional() });

const optionGroups = list(z.strictObject({ label: plain(75), options: list(option, 100) }), 100);

/** An app's response when a person types into an external select. */
export const optionsAnswer = z.union([
  z.strictObject({ options: z.array(option).max(100, 'no more than 100 items allowed') }),
  z.strictObject({ option_groups: optionGroups }),
]);

/** Members of most elements. */
export const common = {
  action_id: words(255).optional(),
  confirm: confirm.optional(),
  focus_on_load: z.boolean().optional(),
};
export const placeholder = plain(150).optional();

const id = words(255);
const select = { ...common, placeholder };
const multi = { ...select, max_selected_items: z.int().min(1).optional() };
const offered = { options: list(option, 100).optional(), option_groups: optionGroups.optional() };

interface Offer {
  readonly options?: readonly unknown[] | undefined;
  readonly option_groups?: readonly { readonly options: readonly unknown[] }[] | undefined;
}

function checkOffer(offer: Offer, begun: readonly unknown[], problem: (words: string) => void) {
  const { options, option_groups } = offer;
  if (!options && !option_groups) problem('missing required field: options or option_groups');
  if (options && option_groups) problem('must have either options or option_groups');
  const all = options ?? option_groups?.flatMap((group) => group.options) ?? [];
  const isThere = (one: unknown): boolean => all.some((each) => isDeepStrictEqual(each, one));
  if (!begun.every(isThere)) problem('initial options must be among the options');
}

const staticSelect = z
  .strictObject({
    ...select,
    ...offered,
    type: z.literal('static_select'),
    initial_option: option.optional(),
  })
  .check(({ value, issues }) => {
    const begun = value.initial_option ? [value.initial_option] : [];
    checkOffer(value, begun, (message) => issues.push({ code: 'custom', message, input: value }));
  });

const multiStaticSelect = z
  .strictObject({
    ...multi,
    ...offered,
    type: z.literal('multi_static_select'),
    initial_options: list(option, 100).optional(),
  })
  .check(({ value, issues }) =>
    checkOffer(value, value.initial_options ?? [], (message) =>
      issues.push({ code: 'custom', message, input: value }),
    ),
  );

const minQueryLength = z.int().min(0).optional();
const current = { default_to_current_conversation: z.boolean().optional() };
const respondable = { response_url_enabled: z.boolean().optional() };
const filter = z
  .strictObject({
    include: list(z.enum(['im', 'mpim', 'private', 'public']), 4).optional(),
    exclude_external_shared_channels: z.boolean().optional(),
    exclude_bot_users: z.boolean().optional(),
  })
  .optional();

/** Selects of one thing. */
export const selects = [
  staticSelect,
  z.strictObject({
    ...select,
    type: z.literal('external_select'),
    initial_option: option.optional(),
    min_query_length: minQueryLength,
  }),
  z.strictObject({ ...select, type: z.literal('users_select'), initial_user: id.optional() }),
  z.strictObject({
    ...select,
    ...current,
    ...respondable,
    filter,
    type: z.literal('conversations_select'),
    initial_conversation: id.optional(),
  }),
  z.strictObject({
    ...select,
    ...respondable,
    type: z.literal('channels_select'),
    initial_channel: id.optional(),
  }),
] as const;

/** Selects of several things. */
export const multiSelects = [
  multiStaticSelect,
  z.strictObject({
    ...multi,
    type: z.literal('multi_external_select'),
    initial_options: list(option, 100).optional(),
    min_query_length: minQueryLength,
  }),
  z.strictObject({
    ...multi,
    type: z.literal('multi_users_select'),
    initial_users: z.array(id).optional(),
  }),
  z.strictObject({
    ...multi,
    ...current,
    filter,
    type: z.literal('multi_conversations_select'),
    initial_conversations: z.array(id).optional(),
  }),
  z.strictObject({
    ...multi,
    type: z.literal('multi_channels_select'),
    initial_channels: z.array(id).optional(),
  }),
] as const;
