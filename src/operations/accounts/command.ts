import { closest } from '../../core/lib/closest.ts';
import { foldTyped, isHelp } from '../../core/lib/fold-typed.ts';
import { readEmail } from '../../core/lib/read-email.ts';
import { code } from '../../core/slack/text.ts';
import { quoted } from './account-modal.ts';

/** What somebody wants of `/people`. */
type PeopleWords =
  | { readonly kind: 'help' }
  | { readonly kind: 'list' }
  | { readonly kind: 'me' }
  | { readonly kind: 'forget'; readonly person: string }
  | { readonly kind: 'find'; readonly text: string }
  /** Opens an account; changes are made there. */
  | { readonly kind: 'card'; readonly text: string }
  /** `userName`: the part that was typed. */
  | { readonly kind: 'create'; readonly userName: string }
  | { readonly kind: 'unknown'; readonly text: string };

/** The commands that open a modal. */
export type Opening = Extract<PeopleWords, { kind: 'list' | 'find' | 'card' | 'create' }>;

export function isOpening(words: PeopleWords): words is Opening {
  return OPENING.has(words.kind);
}

const OPENING: ReadonlySet<string> = new Set<Opening['kind']>(['list', 'find', 'card', 'create']);

/** Parses the words after the command; the first one is the verb, in any case. */
export function readWords(typed: string): PeopleWords {
  const text = typed.trim();
  const [verb = ''] = text.split(/\s+/u);
  const typedRest = text.slice(verb.length).trim();
  // Without its dash, the second word may be somebody's name.
  const isAfterVerb = /^\p{Pd}/u.test(typedRest) && isHelp(typedRest);
  if (isHelp(text) || isAfterVerb) return { kind: 'help' };
  const rest = readEmail(typedRest).address;
  const kind = foldTyped(verb).toLowerCase();
  switch (kind) {
    case '':
      return { kind: 'list' };
    case 'list':
    case 'me':
      return rest === '' ? { kind } : { kind: 'unknown', text };
    case 'forget':
      return { kind, person: foldTyped(typedRest) };
    case 'find':
      return rest === '' ? { kind: 'list' } : { kind: 'find', text: rest };
    case 'create':
      return { kind: 'create', userName: rest };
    case 'open':
    case 'edit':
    case 'deactivate':
    case 'activate':
    case 're-activate':
    case 'reactivate':
      return rest === '' ? { kind: 'list' } : { kind: 'card', text: rest };
    default:
      return { kind: 'unknown', text };
  }
}

export const HELP = [
  '• `/people me` – your own account in the service: what Gatepost finds, and what to do',
  'For Gatepost administrators:',
  '• `/people` – all accounts, page by page',
  '• `/people find ana` – accounts whose name or address contains this text',
  '• `/people create ana@example.com` – a new account, with a preview',
  '• `/people deactivate ana@example.com`, or `edit`, `activate`, `open` – the card of the account, with these buttons',
  '• `/people forget U012AB3CD` – unlinks this Slack member from their account',
].join('\n');

const VERBS = [
  'me',
  'find',
  'list',
  'create',
  'open',
  'edit',
  'deactivate',
  'activate',
  'forget',
  'help',
] as const;

export function unknownWords(text: string): string {
  const [first = ''] = text.split(/\s+/u);
  const near = closest(first, VERBS);
  const next =
    near === undefined
      ? `To find somebody, type ${code(`/people find ${text}`)}.`
      : `Did you mean \`/people ${near}\`?`;
  return `Unknown command ${quoted(first)}. ${next} \`/people help\` lists all commands.`;
}
