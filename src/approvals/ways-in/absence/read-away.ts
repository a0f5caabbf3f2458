import { foldTyped, isHelp } from '../../../core/lib/fold-typed.ts';
import { PREPOSITION } from '../end-grammar.ts';

/** Parses what people type about an absence: until when (`read-end.ts`), and who is the substitute. */

/** A command after `/approvals`. undefined: it is about something else. */
export type AwayTyped =
  | { readonly kind: 'show' }
  | { readonly kind: 'back' }
  /** `until`: the typed time; empty: none. */
  | { readonly kind: 'set'; readonly until: string; readonly substitute?: string }
  /** A name that Slack did not turn into a mention; a group or channel; two people. */
  | { readonly kind: 'unknown-name' | 'no-person' | 'several' };

/** A mention, with the word or sign that introduces it. */
const SUBSTITUTE =
  /(?:\b(?:with|and|by|substitute)\b[:,]?|[:+&]|&amp;)? ?<@([UW][A-Z0-9]+)(?:\|[^<>]*)?> ?,?/giu;
const AWAY = /^away\b/iu;

/** `text`: with Slack's escapes. */
export function readAwayTyped(text: string): AwayTyped | undefined {
  const typed = foldTyped(text);
  const users = [...new Set([...typed.matchAll(SUBSTITUTE)].map(([, user = '']) => user))];
  const words = foldTyped(typed.replaceAll(SUBSTITUTE, ' '));
  if (/^back$/iu.test(words)) return { kind: 'back' };
  if (!AWAY.test(words)) return undefined;
  const rest = foldTyped(words.replace(AWAY, ''));
  if (isHelp(rest)) return undefined;
  if (/<[!#]/u.test(rest)) return { kind: 'no-person' };
  if (/(?:^|\s)@\S/u.test(rest)) return { kind: 'unknown-name' };
  const [substitute, ...others] = users;
  if (others.length > 0) return { kind: 'several' };
  if (rest === '' && substitute === undefined) return { kind: 'show' };
  const until = rest.replace(PREPOSITION, '') === '' ? '' : rest;
  return { kind: 'set', until, ...(substitute !== undefined && { substitute }) };
}
