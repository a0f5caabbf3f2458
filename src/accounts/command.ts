import { closest } from '../lib/closest.ts';
import { quotable, quoted } from './account-modal.ts';

/** What somebody wants of `/people`. */
type PeopleWords =
  | { readonly kind: 'help' }
  | { readonly kind: 'list' }
  | { readonly kind: 'me' }
  | { readonly kind: 'forget'; readonly person: string }
  | { readonly kind: 'find'; readonly text: string }
  /** `userName`: as far as it was typed. */
  | { readonly kind: 'create'; readonly userName: string }
  | { readonly kind: 'unknown'; readonly text: string };

/** Reads the words behind the command; the first one is the verb, in any case. */
export function readWords(typed: string): PeopleWords {
  const text = typed.trim();
  const [verb = ''] = text.split(/\s+/u);
  const rest = plainAddress(text.slice(verb.length).trim());
  const kind = verb.toLowerCase();
  switch (kind) {
    case '':
      return { kind: 'list' };
    case 'help':
    case 'list':
    case 'me':
      return rest === '' ? { kind } : { kind: 'unknown', text };
    case 'forget':
      return { kind, person: rest };
    case 'find':
      return rest === '' ? { kind: 'list' } : { kind: 'find', text: rest };
    case 'create':
      return { kind: 'create', userName: rest };
    default:
      return { kind: 'unknown', text };
  }
}

/** Slack may make a link of an address. */
function plainAddress(text: string): string {
  return text.replace(/<mailto:[^>|]*\|(?<address>[^>]*)>/gu, '$<address>');
}

export const HELP = [
  '• `/people me` – your own account in the service: how Gatepost sees you, and what to do',
  'For administrators of Gatepost:',
  '• `/people` – all accounts, page by page',
  '• `/people find ana` – accounts whose name or e-mail address holds these words',
  '• `/people create ana@example.com` – a new account: you see first what would happen',
  '• `/people forget U012AB3CD` – forgets with which account this member of Slack is linked',
  'From the card of an account you change, deactivate and re-activate it.',
].join('\n');

const VERBS = ['me', 'find', 'list', 'create', 'forget', 'help'] as const;

export function unknownWords(text: string): string {
  const [first = ''] = text.split(/\s+/u);
  const near = closest(first, VERBS);
  const next =
    near === undefined
      ? `To look for somebody: \`/people find ${quotable(text)}\`.`
      : `Did you mean \`/people ${near}\`?`;
  return `${quoted(first)} is not something that /people does. ${next} \`/people help\` says the rest.`;
}
