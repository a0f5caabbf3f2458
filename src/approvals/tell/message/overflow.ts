import { hash } from 'node:crypto';
import {
  mayGrow,
  type Spelled,
  spellCode,
  spellLine,
  spellWords,
} from '../../../core/lib/clean-line.ts';
import {
  cutRuns,
  linesIn,
  markedRuns,
  piecesOf,
  plainRuns,
  preformatted,
  type Run,
} from '../../../core/slack/rich-text.ts';
import { bold, cutPlain, oneLine } from '../../../core/slack/text.ts';
import { type Approval, DEFAULT, isOwnGate } from '../../approval.ts';
import { titleIn } from '../../digest.ts';
import { requesterText } from '../../electorate/requester.ts';
import { canBeLinked, LINK_MAX } from './run-link.ts';

/**
 * Which part of other people's text the message shows, and which goes into replies in its thread. A message has a limit
 * of about 10,000 characters for all of its text, in whatever blocks.
 */
const TITLE_MAX = 150;
const PROMPT_MAX = 2_500;
/** Of the prompt, if there is a change. */
const BESIDE_CHANGE_MAX = 1_500;
/** More would hide the buttons on a phone. */
const CHANGE_LINES_MAX = 18;
const FIELDS_MAX = 10;
const FIELD_NAME_MAX = 60;
const FIELD_VALUE_MAX = 200;
const REQUESTER_MAX = 200;
export const SOURCE_MAX = 80;
const REPLY_SECTION_MAX = 2_900;
const REPLY_SECTIONS = 3;
/** More would keep the channel busy for long, and few people would read them. */
const REPLIES_MAX = 10;
const OVERFLOW = 'overflow-';
const UNSAID = 'The service has not yet said what this is about.';

export interface Excerpt {
  /** Not escaped: for plain text. */
  readonly title: string;
  /** Addresses in the title, to open. */
  readonly links: readonly Run[];
  readonly prompt: readonly Run[];
  readonly change: readonly Run[];
  readonly fields: readonly (readonly Run[])[];
  /** Not escaped; undefined: no name to show. */
  readonly requester: string | undefined;
  /** Not escaped; undefined: none, or not a valid link. */
  readonly link: string | undefined;
  /** How many lines of each the message does not show; `isOther`: some titles or fields are cut too. */
  readonly more: { readonly prompt: number; readonly change: number; readonly isOther: boolean };
  /** What did not fit, one section each. */
  readonly rest: readonly (readonly Run[])[];
  /** How many characters are not shown at all, because the rest is too long even for replies. */
  readonly unshown: number;
  /** How many characters are invisible, and how many of them are shown only as �. */
  readonly invisible: number;
  readonly unspelled: number;
  /** Whether terminal colours or links were removed. */
  readonly isUnstyled: boolean;
}

/** Other people's texts, cleaned for display. */
interface Texts {
  readonly title: string;
  /** Whether the title is the source's, not taken from the text. */
  readonly isTitled: boolean;
  readonly words: string;
  readonly change: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly requester: string;
  readonly invisible: number;
  readonly unspelled: number;
  readonly isUnstyled: boolean;
}

function textsOf(approval: Approval): Texts {
  let invisible = 0;
  let unspelled = 0;
  let isUnstyled = false;
  const counted = (spelled: Spelled) => {
    isUnstyled ||= spelled.isUnstyled === true;
    invisible += spelled.invisible;
    unspelled += spelled.unspelled;
    return spelled.text;
  };
  const named = counted(spellLine(approval.title ?? ''));
  const words = counted(spellWords(wordsOf(approval)));
  const change = counted(spellCode(approval.change ?? ''));
  const fields = (approval.fields ?? []).map(
    ([name, value]) => [counted(spellLine(name)), counted(spellWords(value))] as const,
  );
  const requester = counted(spellLine(requesterName(approval)));
  const title = named || titleIn(isDescribed(approval) ? words : '');
  const isTitled = named !== '';
  const unseen = { invisible, unspelled, isUnstyled };
  return { title, isTitled, words, change, fields, requester, ...unseen };
}

/** Divides an approval's texts into what fits into its message and the rest. */
export function excerptOf(approval: Approval): Excerpt {
  const texts = textsOf(approval);
  const [title, titleRest] = cutPlain(texts.title, TITLE_MAX);
  const hasChange = approval.change !== undefined;
  const most = hasChange ? BESIDE_CHANGE_MAX : PROMPT_MAX;
  // Text that is the title is not repeated.
  const [prompt, promptRest] =
    texts.words.trim() === title ? [[], []] : cutRuns(markedRuns(texts.words), most);
  const changeMax = Math.min(BESIDE_CHANGE_MAX, endOfLine(texts.change, CHANGE_LINES_MAX) + 2);
  const [change, changeRest] = cutRuns(preformatted(texts.change), changeMax);
  const [requester, requesterRest] = cutPlain(texts.requester, REQUESTER_MAX);
  const { link } = approval;
  const isLinked = link !== undefined && canBeLinked(link);
  const { shown, late } = fieldsOf(texts);
  const before = [
    // A title taken from the text is complete there.
    ...(titleRest === '' || !texts.isTitled ? [] : [plainRuns(texts.title)]),
    // Before the parts that may be cut, because it leads to them.
    ...(link === undefined || isLinked ? [] : [headed('Run', plainRuns(spellWords(link).text))]),
  ];
  const after = [
    ...(requesterRest === '' ? [] : [headed('Asked by', plainRuns(texts.requester))]),
    ...joined(late),
  ];
  // The change takes precedence over the rest.
  const rest = [...before, changeRest, promptRest, ...after].flatMap((runs) =>
    piecesOf(runs, REPLY_SECTION_MAX),
  );
  const unshown = rest.slice(REPLIES_MAX * REPLY_SECTIONS).flat();
  return {
    title,
    links: firstLinks(plainRuns(texts.title)),
    prompt,
    change,
    fields: shown,
    requester: requester === '' ? undefined : requester,
    link: isLinked ? link : undefined,
    more: {
      prompt: linesIn(promptRest),
      change: linesIn(changeRest),
      isOther: before.length + after.length > 0,
    },
    rest: rest.slice(0, REPLIES_MAX * REPLY_SECTIONS),
    unshown: unshown.reduce((count, { text }) => count + [...text].length, 0),
    invisible: texts.invisible,
    unspelled: texts.unspelled,
    isUnstyled: texts.isUnstyled,
  };
}

/** The index at which line number `line` ends, before its line break. */
function endOfLine(text: string, line: number): number {
  let end = -1;
  for (let at = 0; at < line; at += 1) {
    end = text.indexOf('\n', end + 1);
    if (end === -1) return text.length;
  }
  return end;
}

/**
 * The whole request, in the order of its message, in pieces that fit into sections. Without what the title and a button
 * already show.
 */
export function wholeRequest(approval: Approval): Run[][] {
  const { title, isTitled, words, change, fields } = textsOf(approval);
  const { link } = approval;
  const isCut = title.length > TITLE_MAX;
  const texts = [
    ...(isCut && isTitled ? [plainRuns(title)] : firstLinks(plainRuns(title)).map((run) => [run])),
    ...(words.trim() === title && (isTitled || !isCut) ? [] : [markedRuns(words)]),
    ...fields.map(([name, value]) => [
      { kind: 'bold', text: `${name || '\ufffd'}: ` } as const,
      ...plainRuns(value),
    ]),
    preformatted(change),
    ...(link === undefined || canBeLinked(link)
      ? []
      : [headed('Run', plainRuns(spellWords(link).text))]),
  ];
  return texts.flatMap((runs) => piecesOf(runs, REPLY_SECTION_MAX));
}

/** Links left out here are in the overflow of the title. */
function firstLinks(runs: readonly Run[]): readonly Run[] {
  let room = LINK_MAX;
  return runs.filter(({ kind, text }) => {
    if (kind !== 'link' || text.length > room) return false;
    room -= text.length;
    return true;
  });
}

/** Fields as the message shows them, and in full those it does not show completely. */
function fieldsOf({ fields }: Texts): { shown: Run[][]; late: Run[][] } {
  const shown: Run[][] = [];
  const late: Run[][] = [];
  for (const [at, [name, value]] of fields.entries()) {
    const shownName = name || '\ufffd';
    const runs = plainRuns(value);
    const [head, nameRest] = cutPlain(shownName, FIELD_NAME_MAX);
    const [start, valueRest] = cutRuns(runs, FIELD_VALUE_MAX);
    if (at < FIELDS_MAX) shown.push([{ kind: 'bold', text: `${head}: ` }, ...start]);
    if (at < FIELDS_MAX && nameRest === '' && valueRest.length === 0) continue;
    late.push(headed(shownName, runs));
  }
  return { shown, late };
}

function headed(name: string, runs: readonly Run[]): Run[] {
  return [{ kind: 'bold', text: `${name}\n` }, ...runs];
}

/** The post name of overflow reply `number`, from 1. */
export function overflowName(number: number): string {
  return `${OVERFLOW}${number}`;
}

export function isOverflow(name: string): boolean {
  return name.startsWith(OVERFLOW);
}

export function overflowNumber(name: string): number {
  return Number(name.slice(OVERFLOW.length));
}

/** How many overflow replies there are, with `REPLY_SECTIONS` sections each. */
export function overflowCount(approval: Approval): number {
  if (isShort(approval)) return 0;
  const { title, change, link, fields } = approval;
  const words = [title, wordsOf(approval), isDescribed(approval), requesterName(approval)];
  const key = hash('sha256', JSON.stringify([...words, change, link, fields]), 'base64url');
  const known = COUNTS.get(key);
  if (known !== undefined) return known;
  const count = repliesFor(excerptOf(approval));
  if (COUNTS.size === COUNTS_MAX) COUNTS.clear();
  COUNTS.set(key, count);
  return count;
}

/** Cached by a hash of the texts, which do not change: each plan needs it several times. */
const COUNTS = new Map<string, number>();
const COUNTS_MAX = 1_000;

/** The same for an excerpt. */
export function repliesFor({ rest }: Excerpt): number {
  return Math.ceil(rest.length / REPLY_SECTIONS);
}

/** Whether it certainly fits and is all visible, checked without cutting. */
function isShort(approval: Approval): boolean {
  const { title = '', change = '', link, fields = [] } = approval;
  const changeEnd = endOfLine(change, CHANGE_LINES_MAX);
  return (
    isWithin(title, TITLE_MAX) &&
    isWithin(wordsOf(approval), BESIDE_CHANGE_MAX) &&
    isWithin(change, Math.min(BESIDE_CHANGE_MAX, changeEnd)) &&
    (link === undefined || canBeLinked(link)) &&
    isWithin(requesterName(approval), REQUESTER_MAX) &&
    fields.length <= FIELDS_MAX &&
    fields.every(
      ([name, value]) => isWithin(name, FIELD_NAME_MAX) && isWithin(value, FIELD_VALUE_MAX),
    )
  );
}

function isWithin(text: string, max: number): boolean {
  return text.length <= max && !mayGrow(text);
}

/** The sections of overflow reply `number`, from 1. */
export function overflowSections({ rest }: Excerpt, number: number): readonly (readonly Run[])[] {
  const start = (number - 1) * REPLY_SECTIONS;
  return rest.slice(start, start + REPLY_SECTIONS);
}

/** Short texts share a section. */
function joined(texts: readonly (readonly Run[])[]): Run[][] {
  const found: Run[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const runs of texts) {
    const more = runs.reduce((sum, { text }) => sum + text.length, 2);
    const last = found.at(-1);
    if (last === undefined || length + more > REPLY_SECTION_MAX) {
      found.push([...runs]);
      length = more;
    } else {
      last.push({ kind: 'text', text: '\n\n' }, ...runs);
      length += more;
    }
  }
  return found;
}

function wordsOf(approval: Approval): string {
  const { message, prompt, outcome, watch } = approval;
  // Only its source describes it.
  if (isOwnGate(approval)) return message ?? '';
  const isUnsaid =
    outcome === undefined && (watch.state === 'unknown' || watch.checkedAt === undefined);
  return message ?? prompt ?? (isUnsaid ? UNSAID : 'No description was given.');
}

/** Whether there may be more than the title, which is all that a folded message shows. */
export function saysMore({ title, message, prompt, change, fields = [], link }: Approval): boolean {
  if (change !== undefined || fields.length > 0) return true;
  if (link !== undefined && !canBeLinked(link)) return true;
  const words = (message ?? prompt ?? '').trim();
  const called = title ?? words;
  const isTitle = title === undefined ? !words.includes('\n') : words === '' || words === title;
  return !isTitle || called.includes('://') || !isWithin(called, TITLE_MAX);
}

/** Otherwise the text is Gatepost's own. */
function isDescribed({ message, prompt }: Approval): boolean {
  return (message ?? prompt) !== undefined;
}

/** The source's name, shown if no requester is named; undefined: the default source has no meaningful name. */
export function sourceNameOf({ sourceName, source }: Approval): string | undefined {
  return sourceName ?? (source === DEFAULT ? undefined : source);
}

/** The same, escaped, as one line. */
export function sourceText(approval: Approval): string | undefined {
  const name = sourceNameOf(approval);
  return name === undefined ? undefined : bold(oneLine(name, SOURCE_MAX));
}

function requesterName({ requester }: Approval): string {
  return requester === undefined ? '' : requesterText(requester);
}
