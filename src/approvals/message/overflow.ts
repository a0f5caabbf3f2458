import { cleanLine } from '../../lib/clean-line.ts';
import { bold, clipText, cutPlain, escapeMrkdwn } from '../../slack/text.ts';
import type { Approval } from '../approval.ts';

/**
 * What of other people's text the message itself shows, and what goes into replies in its thread.
 * All of a message's text has to stay under about 10,000 characters, a section's under 3,000.
 */
const TITLE_MAX = 150;
const PROMPT_MAX = 2_500;
const FIELDS_MAX = 10;
const FIELD_NAME_MAX = 80;
const FIELD_VALUE_MAX = 250;
const REQUESTER_MAX = 200;
const LINK_MAX = 600;
const REPLY_SECTION_MAX = 2_900;
const REPLY_SECTIONS = 3;
/** More would keep the channel busy for long, and nobody reads on there. */
const REPLIES_MAX = 10;
const OVERFLOW = 'overflow-';
const UNSAID = 'The service has not said yet what this is about.';
/** One character becomes at most five when it is escaped. */
const surelyFits = (text = '', max: number) => text.length <= max / 5;

export interface Excerpt {
  /** Not escaped: for a plain text. */
  readonly title: string;
  /** Escaped. */
  readonly prompt: string;
  readonly fields: readonly { readonly name: string; readonly value: string }[];
  /** Escaped; undefined: nobody is named by a text. */
  readonly requester: string | undefined;
  /** Escaped; undefined: there is none, or it is too long for a link. */
  readonly link: string | undefined;
  /** Escaped texts, one per section, that did not fit. */
  readonly rest: readonly string[];
  /** How many characters of the rest are not shown, because it is too long for replies too. */
  readonly unshown: number;
}

/** Cuts an approval's texts into what fits into its message and the rest. */
export function excerptOf(approval: Approval): Excerpt {
  const [title, titleRest] = cutPlain(titleOf(approval), TITLE_MAX);
  const [prompt, promptRest] = cut(escapeMrkdwn(wordsOf(approval)), PROMPT_MAX);
  const [requester, requesterRest] = cut(escapeMrkdwn(nameOf(approval)), REQUESTER_MAX);
  const link = escapeMrkdwn(approval.link?.replaceAll('|', '%7C') ?? '');
  const isLinked = link !== '' && link.length <= LINK_MAX;
  const shown = (approval.fields ?? []).slice(0, FIELDS_MAX).map(([name, value]) => ({
    name: cut(escapeMrkdwn(name), FIELD_NAME_MAX),
    value: cut(escapeMrkdwn(value), FIELD_VALUE_MAX),
  }));
  const late = (approval.fields ?? []).filter((_, at) => {
    const field = shown[at];
    return field === undefined || field.name[1] !== '' || field.value[1] !== '';
  });
  const rest = [
    ...(titleRest === '' ? [] : [escapeMrkdwn(titleOf(approval))]),
    // Before what may be cut: it leads to that.
    ...(link === '' || isLinked ? [] : [`*Details*\n${link}`]),
    ...(promptRest === '' ? [] : [promptRest]),
    ...(requesterRest === '' ? [] : [`*Asked by*\n${escapeMrkdwn(nameOf(approval))}`]),
    ...joined(late.map(([name, value]) => `${bold(escapeMrkdwn(name))}\n${escapeMrkdwn(value)}`)),
  ].flatMap((text) => pieces(text, REPLY_SECTION_MAX));
  const unshown = rest.slice(REPLIES_MAX * REPLY_SECTIONS);
  return {
    title,
    prompt,
    requester: requester === '' ? undefined : requester,
    link: isLinked ? link : undefined,
    fields: shown.map(({ name, value }) => ({ name: name[0], value: value[0] })),
    rest: rest.slice(0, REPLIES_MAX * REPLY_SECTIONS),
    unshown: unshown.reduce((count, text) => count + lengthOf(text), 0),
  };
}

/** The name of reply number `number`, from 1, among a message's posts. */
export function overflowName(number: number): string {
  return `${OVERFLOW}${number}`;
}

export function isOverflow(name: string): boolean {
  return name.startsWith(OVERFLOW);
}

export function overflowNumber(name: string): number {
  return Number(name.slice(OVERFLOW.length));
}

/** How many replies the rest takes; each holds `REPLY_SECTIONS` sections. */
export function overflowCount(approval: Approval): number {
  const isShort =
    surelyFits(wordsOf(approval), PROMPT_MAX) &&
    surelyFits(nameOf(approval), REQUESTER_MAX) &&
    surelyFits(approval.link, LINK_MAX) &&
    titleOf(approval).length <= TITLE_MAX &&
    approval.fields === undefined;
  return isShort ? 0 : Math.ceil(excerptOf(approval).rest.length / REPLY_SECTIONS);
}

/** The sections of reply number `number`, from 1. */
export function overflowSections({ rest }: Excerpt, number: number): readonly string[] {
  const start = (number - 1) * REPLY_SECTIONS;
  return rest.slice(start, start + REPLY_SECTIONS);
}

/** Short texts share a section. */
function joined(texts: readonly string[]): string[] {
  const found: string[] = [];
  for (const text of texts) {
    const last = found.at(-1);
    const both = `${last}\n\n${text}`;
    if (last === undefined || both.length > REPLY_SECTION_MAX) found.push(text);
    else found[found.length - 1] = both;
  }
  return found;
}

/** In characters as people count them, of an escaped text. */
function lengthOf(text: string): number {
  return [...text.replace(/&(amp|lt|gt);/g, ' ')].length;
}

function wordsOf(approval: Approval): string {
  const { message, prompt, outcome, watch } = approval;
  const isUnsaid =
    outcome === undefined && (watch.state === 'unknown' || watch.checkedAt === undefined);
  return message ?? prompt ?? (isUnsaid ? UNSAID : 'No message was given.');
}

/** One line: it stands beside our own words, and may change neither their direction nor their end. */
function titleOf({ title = '' }: Approval): string {
  return cleanLine(title) || 'Approval needed';
}

/** Likewise one line. */
function nameOf({ requester }: Approval): string {
  return cleanLine(requester?.name ?? requester?.email ?? '');
}

/** Cuts an escaped text after at most `max` UTF-16 units, with marks where it was cut. */
export function cut(text: string, max: number): [head: string, rest: string] {
  const [whole, nothing] = clipText(text, max);
  if (nothing === '') return [whole, ''];
  const [head, rest] = clipText(text, max - 1);
  return [`${head}…`, `…${rest}`];
}

function pieces(text: string, max: number): string[] {
  const found: string[] = [];
  for (let rest = text; rest !== ''; ) {
    const [head, tail] = clipText(rest, max);
    found.push(head);
    rest = tail;
  }
  return found;
}
