import { z } from 'zod';
import { either, list, plain, words } from './texts.ts';

/** Of selects. */
export const option = z.strictObject({
  text: plain(75),
  value: words(75),
  description: plain(75).optional(),
});

/** Of radio buttons and checkboxes, which may be formatted. */
export const formattedOption = z.strictObject({
  text: either(75),
  value: words(75),
  description: either(75).optional(),
});

/** Of overflow menus, which may lead somewhere. */
export const menuOption = option.extend({ url: words(3000).optional() });

export const optionGroups = list(
  z.strictObject({ label: plain(75), options: list(option, 100) }),
  100,
);

/** What an app answers to a person who types into an external select. */
export const optionsAnswer = z.union([
  z.strictObject({ options: z.array(option).max(100, 'no more than 100 items allowed') }),
  z.strictObject({ option_groups: optionGroups }),
]);
