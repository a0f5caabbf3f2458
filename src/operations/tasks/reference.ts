import { DASH, foldTyped, isHelp } from '../../core/lib/fold-typed.ts';
import { addressesIn } from '../../core/lib/web-address.ts';
import { unescapeMrkdwn } from '../../core/slack/text.ts';

/** What people write after `/move-task`, and what can be found in a message. */
type MoveWords =
  | { readonly kind: 'help' }
  /** `reference`: null if there is none. `project`: as typed. */
  | {
      readonly kind: 'move';
      readonly reference: string | null;
      /** More items; absent: none. */
      readonly others?: readonly string[];
      readonly project: string | null;
    };

/**
 * Parses the words after the command, with Slack's escapes: an id, key or link, or several, then optionally a project.
 * `isProject`: whether a text names one, although it looks like a key.
 */
export function readWords(
  escaped: string,
  link: string | null,
  isProject: (text: string) => boolean = () => false,
): MoveWords {
  const text = unescapeMrkdwn(escaped).trim();
  if (isHelp(text)) return { kind: 'help' };
  const [first = '', ...rest] = wordsOf(text);
  const others: string[] = [];
  while (isReference(first) && !isProject(projectIn(rest))) {
    const next = rest.findIndex((word) => !FILLERS.test(word));
    if (next < 0 || !isReference(rest[next] ?? '')) break;
    others.push(referenceIn(rest[next] ?? '', link));
    rest.splice(0, next + 1);
  }
  const reference = first === '' ? null : referenceIn(first, link);
  const more = [...new Set(others)].filter((each) => each !== reference);
  const project = projectIn(rest);
  return {
    kind: 'move',
    reference,
    ...(more.length > 0 && { others: more }),
    project: project === '' ? null : project,
  };
}

/** The ids, keys and links that a text consists of; if it is anything else, it is one name. */
export function namesIn(text: string, link: string | null): readonly string[] {
  const words = wordsOf(text.trim()).filter((word) => !FILLERS.test(word));
  const isSeveral = words.length > 1 && words.every(isReference);
  return [...new Set((isSeveral ? words : [text]).map((word) => referenceIn(word, link)))];
}

/** Between two items. */
const FILLERS = /^(?:and|&|\+|[,;])$/iu;

/** Keys may be separated by commas alone. */
function wordsOf(text: string): string[] {
  return text.split(/\s+/u).flatMap((word) => {
    const parts = word.split(/[,;]/u).filter((part) => part !== '');
    return parts.length > 1 && parts.every(isReference) ? parts : [word];
  });
}

function isReference(word: string): boolean {
  const name = referenceIn(word, null);
  return KEY.test(name) || UUID.test(name) || addressesIn(word).length > 0;
}

function projectIn(words: readonly string[]): string {
  return unquoted(words.join(' ').replace(/^(?:to|→|->)\s+/iu, ''));
}

/** Without quotes of any kind around a name of several words. */
function unquoted(name: string): string {
  return /^["'`“-”„‘’«»](?<inner>.*)["'`“-”‘’«»]$/u.exec(name)?.groups?.inner?.trim() ?? name;
}

/** The id or key that a word is, or that its link leads to; otherwise the word itself. */
export function referenceIn(word: string, link: string | null): string {
  const bare = foldTyped(word)
    .replace(/^<([^>|]*)(?:\|[^>]*)?>$/u, '$1')
    .replace(/^[#＃](?=.)/u, '');
  const [found] = addressesIn(bare);
  if (found === undefined) return bare;
  return keyOfLink(found.address, link) ?? lastNameIn(found.address) ?? found.address;
}

/** Unique keys and links of work items in a text from Slack. A link's label counts as text. */
export function referencesIn(text: string, link: string | null): readonly string[] {
  const keys = addressesIn(unescapeMrkdwn(text)).flatMap(
    ({ address }) => keyOfLink(address, link) ?? [],
  );
  const words = unescapeMrkdwn(text.replace(/<[^<>|]*(?:\|([^<>]*))?>/gu, ' $1 '));
  const typed = [...words.replace(DASHES, '-').matchAll(KEYS)].map(([key]) => key);
  return [...new Set([...keys, ...typed])].filter(({ length }) => length <= REFERENCE_MAX);
}

/** Ten of them are shown in a hint, which holds 2000 characters. */
const REFERENCE_MAX = 150;

const DASHES = new RegExp(DASH, 'gu');
const KEYS = /\b[A-Z][A-Z0-9_]{0,50}-\d{1,20}\b/gu;
const KEY = /^[A-Z][A-Z0-9_]*-\d+$/iu;
export const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu;

const PLACES: Readonly<Record<string, string>> = {
  '{spaceSlug}': '[^/?#]+',
  '{projectSlug}': '[^/?#]+',
  '{key}': '([^/?#]+)',
};

/** The key at its place in `links.task`; undefined for another address. */
function keyOfLink(address: string, link: string | null): string | undefined {
  if (link === null) return undefined;
  const pattern = link
    .split(/(\{\w+\})/u)
    .map((piece) => PLACES[piece] ?? literally(piece))
    .join('');
  const key = new RegExp(`^${pattern}(?:[/?#].*)?$`, 'u').exec(address)?.[1];
  return key === undefined ? undefined : decoded(key);
}

/** For other addresses: the last part that looks like a key or an id. */
function lastNameIn(address: string): string | undefined {
  const parts = address.split(/[/?#&=]/u).map(decoded);
  return parts.findLast((part) => KEY.test(part) || UUID.test(part));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/gu, '\\$&');
}
