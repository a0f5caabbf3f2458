/** What somebody wants of `/people`. */
export type PeopleWords =
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
