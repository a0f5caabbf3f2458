import type { KnownBlock } from '@slack/types';
import type { Search } from '../../people/directory.ts';
import { isConflict } from '../../people/link-conflict.ts';
import { actions, button, context, section } from '../../slack/blocks.ts';
import { bold, code } from '../../slack/text.ts';
import type { WordsContent } from '../../slack/words.ts';
import { askOf } from './ask-of.ts';
import type { Mine } from './look-up-me.ts';
import { MINE, NOBODY_TO_TELL, OVERRIDDEN, TOLD } from './my-sentences.ts';

export const TELL_ACTION = 'people.me.tell';

/** open: the person may ask administrators. told: they did. nobody: there are none. */
export type Telling = 'open' | 'told' | 'nobody';

/** What a person sees of themselves, and the way to somebody who can help. */
export function myMessage(mine: Mine, telling: Telling): WordsContent {
  const isOverridden = mine.state === 'linked' && mine.search?.override != null;
  const [state, next] = isOverridden ? [OVERRIDDEN, ''] : MINE[mine.state];
  const facts = factsOf(mine);
  const isAskable = askOf(mine) !== null;
  return {
    text: joined(telling === 'told' && isAskable ? TOLD : '', state, next),
    blocks: [
      section([bold(state), next].filter((line) => line !== '').join('\n')),
      ...(facts.length === 0 ? [] : [section(facts.join('\n'))]),
      ...(isAskable ? [WAYS[telling]] : []),
    ],
  };
}

const WAYS = {
  open: actions('people.me', [button(TELL_ACTION, 'Tell an administrator', 'tell')]),
  told: context(TOLD),
  nobody: context(NOBODY_TO_TELL),
} as const satisfies Record<Telling, KnownBlock>;

/** What was looked at. No account that may be somebody else's, and nobody else. */
function factsOf(mine: Mine): string[] {
  const { search } = mine;
  if (search === null) return [];
  if (search.override !== null) return [`• Linked by the configuration: ${code(search.override)}`];
  if (mine.state === 'no-directory') return ['• Linked by the configuration: no'];
  return [
    `• Looked for: ${lookedFor(mine, search.address)}`,
    `• Found: ${found(mine)}`,
    `• Linked with: ${linkedWith(search)}`,
    '• Linked by the configuration: no',
  ];
}

function lookedFor({ email }: Mine, address: string | null): string {
  if (address !== null) return `${code(address)}, the address that Slack confirms`;
  return email === null
    ? 'nothing. Gatepost sees no address of yours.'
    : `nothing. ${code(email)} does not count.`;
}

function found({ state, search }: Mine): string {
  if (state === 'several') return 'several accounts';
  if (search === null || search.account === null) return 'no account';
  return isConflict(search.identity) ? 'an account' : code(search.account);
}

function linkedWith({ linkedTo, account }: Search): string {
  if (linkedTo !== null) return code(linkedTo);
  return account === null ? 'no account' : 'no account yet. Your first decision does that.';
}

function joined(...sentences: readonly string[]): string {
  return sentences.filter((each) => each !== '').join(' ');
}
