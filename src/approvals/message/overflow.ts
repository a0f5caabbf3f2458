import { hash } from 'node:crypto';
import {
  cleanLine,
  linesOf,
  mayGrow,
  type Spelled,
  spellCode,
  spellLine,
  spellWords,
} from '../../core/lib/clean-line.ts';
import {
  cutRuns,
  linesIn,
  markedRuns,
  piecesOf,
  preformatted,
  type Run,
  runsOf,
} from '../../core/slack/rich-text.ts';
import { bold, cutPlain, oneLine } from '../../core/slack/text.ts';
import { type Approval, DEFAULT, isOwnGate } from '../approval.ts';
import { canBeLinked, LINK_MAX } from './run-link.ts';

/**
 * What of other people's text the message itself shows, and what goes into replies in its thread.
 * All of a message's text has to stay under about 10,000 characters, which no container holds more of
 * either: so long details are replies.
 */
const TITLE_MAX = 150;
const PROMPT_MAX = 2_500;
/** Of the prompt and of the change, where there is one. */
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
/** More would keep the channel busy for long, and nobody reads on there. */
const REPLIES_MAX = 10;
const OVERFLOW = 'overflow-';
const UNSAID = 'The service has not yet said what this is about.';

export interface Excerpt {
  /** Not escaped: for a plain text. */
  readonly title: string;
  /** Addresses that the title names, to follow. */
  readonly links: readonly Run[];
  readonly prompt: readonly Run[];
  readonly change: readonly Run[];
  readonly fields: readonly (readonly Run[])[];
  /** Not escaped; undefined: nobody is named by a text. */
  readonly requester: string | undefined;
  /** Not escaped; undefined: there is none, or it cannot be a link. */
  readonly link: string | undefined;
  /** How many lines of each the message does not show; `isOther`: nor all of names and fields. */
  readonly more: { readonly prompt: number; readonly change: number; readonly isOther: boolean };
  /** What did not fit, one section each. */
  readonly rest: readonly (readonly Run[])[];
  /** How many characters of the rest are not shown, because it is too long for replies too. */
  readonly unshown: number;
  /** How many characters nobody would see, all of them and those that are shown as � alone. */
  readonly invisible: number;
  readonly unspelled: number;
  /** Whether colours or links of a terminal are left out. */
  readonly isUnstyled: boolean;
}

/** What others wrote, as people read it. */
interface Texts {
  readonly title: string;
  /** Whether its source named it, rather than its words. */
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

/** Cuts an approval's texts into what fits into its message and the rest. */
export function excerptOf(approval: Approval): Excerpt {
  const texts = textsOf(approval);
  const [title, titleRest] = cutPlain(texts.title, TITLE_MAX);
  const hasChange = approval.change !== undefined;
  const most = hasChange ? BESIDE_CHANGE_MAX : PROMPT_MAX;
  // One that is called what its words say need not say it twice.
  const [prompt, promptRest] =
    texts.words.trim() === title ? [[], []] : cutRuns(markedRuns(texts.words), most);
  const changeMax = Math.min(BESIDE_CHANGE_MAX, endOfLine(texts.change, CHANGE_LINES_MAX) + 2);
  const [change, changeRest] = cutRuns(preformatted(texts.change), changeMax);
  const [requester, requesterRest] = cutPlain(texts.requester, REQUESTER_MAX);
  const { link } = approval;
  const isLinked = link !== undefined && canBeLinked(link);
  const { shown, late } = fieldsOf(texts);
  const before = [
    // One that is taken from the words is whole in them.
    ...(titleRest === '' || !texts.isTitled ? [] : [markedRuns(texts.title)]),
    // Before what may be cut: it leads to that.
    ...(link === undefined || isLinked ? [] : [headed('Run', runsOf(link))]),
  ];
  const after = [
    ...(requesterRest === '' ? [] : [headed('Asked by', markedRuns(texts.requester))]),
    ...joined(late),
  ];
  // What is approved comes whole, whatever else does not.
  const rest = [...before, changeRest, promptRest, ...after].flatMap((runs) =>
    piecesOf(runs, REPLY_SECTION_MAX),
  );
  const unshown = rest.slice(REPLIES_MAX * REPLY_SECTIONS).flat();
  return {
    title,
    links: firstLinks(markedRuns(texts.title)),
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

/** Where line number `line` ends, before its line end. */
function endOfLine(text: string, line: number): number {
  let end = -1;
  for (let at = 0; at < line; at += 1) {
    end = text.indexOf('\n', end + 1);
    if (end === -1) return text.length;
  }
  return end;
}

/**
 * All that a request says, in the order in which its message says it, in pieces that a section can hold.
 * What the title and a button show already is not repeated.
 */
export function wholeRequest(approval: Approval): Run[][] {
  const { title, isTitled, words, change, fields } = textsOf(approval);
  const { link } = approval;
  const isCut = title.length > TITLE_MAX;
  const texts = [
    ...(isCut && isTitled
      ? [markedRuns(title)]
      : firstLinks(markedRuns(title)).map((run) => [run])),
    ...(words.trim() === title && (isTitled || !isCut) ? [] : [markedRuns(words)]),
    ...fields.map(([name, value]) => [
      { kind: 'bold', text: `${name || '\ufffd'}: ` } as const,
      ...markedRuns(value),
    ]),
    preformatted(change),
    ...(link === undefined || canBeLinked(link) ? [] : [headed('Run', runsOf(link))]),
  ];
  return texts.flatMap((runs) => piecesOf(runs, REPLY_SECTION_MAX));
}

/** What is left out stands with the rest of a title that is too long for all of them. */
function firstLinks(runs: readonly Run[]): readonly Run[] {
  let room = LINK_MAX;
  return runs.filter(({ kind, text }) => {
    if (kind !== 'link' || text.length > room) return false;
    room -= text.length;
    return true;
  });
}

/** Fields as the message shows them, and whole those of which it does not show all. */
function fieldsOf({ fields }: Texts): { shown: Run[][]; late: Run[][] } {
  const shown: Run[][] = [];
  const late: Run[][] = [];
  for (const [at, [name, value]] of fields.entries()) {
    const shownName = name || '\ufffd';
    const runs = markedRuns(value);
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

/** By a hash of their texts: each plan asks for it several times, and their texts stay as they are. */
const COUNTS = new Map<string, number>();
const COUNTS_MAX = 1_000;

/** The same of an excerpt. */
export function repliesFor({ rest }: Excerpt): number {
  return Math.ceil(rest.length / REPLY_SECTIONS);
}

/** Whether it surely fits and all of it can be seen, without cutting its words. */
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

/** The sections of reply number `number`, from 1. */
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
  // Nobody but its source says anything about it.
  if (isOwnGate(approval)) return message ?? '';
  const isUnsaid =
    outcome === undefined && (watch.state === 'unknown' || watch.checkedAt === undefined);
  return message ?? prompt ?? (isUnsaid ? UNSAID : 'No description was given.');
}

/** Whether it may say more than its title, which is all of it that a folded message shows. */
export function saysMore({ title, message, prompt, change, fields = [], link }: Approval): boolean {
  if (change !== undefined || fields.length > 0) return true;
  if (link !== undefined && !canBeLinked(link)) return true;
  const words = (message ?? prompt ?? '').trim();
  const called = title ?? words;
  const isTitle = title === undefined ? !words.includes('\n') : words === '' || words === title;
  return !isTitle || called.includes('://') || !isWithin(called, TITLE_MAX);
}

/** One line: it stands beside our own words, and may change neither their direction nor their end. */
export function titleOf(approval: Approval): string {
  const named = spellLine(approval.title ?? '').text;
  return named || titleIn(isDescribed(approval) ? spellWords(wordsOf(approval)).text : '');
}

/** The first line of what says what this is about. */
function titleIn(words: string): string {
  const firstLine = words.trim().split('\n', 1)[0] ?? '';
  return cleanLine(firstLine) || 'Approval needed';
}

/** Otherwise its words are Gatepost's own. */
function isDescribed({ message, prompt }: Approval): boolean {
  return (message ?? prompt) !== undefined;
}

/** Who asks where nobody is named; undefined: what the environment alone configures has no name that says anything. */
export function sourceNameOf({ sourceName, source }: Approval): string | undefined {
  return sourceName ?? (source === DEFAULT ? undefined : source);
}

/** The same, escaped, as one line. */
export function sourceText(approval: Approval): string | undefined {
  const name = sourceNameOf(approval);
  return name === undefined ? undefined : bold(oneLine(name, SOURCE_MAX));
}

function requesterName({ requester }: Approval): string {
  return requester?.name ?? requester?.email ?? '';
}

/**
 * SHA-256, in hexadecimal digits, of what the request shows: a JSON object as RFC 8785 writes it, with
 * `change`, `cutFrom`, `fields` (pairs in their order), `link`, `message` and `title`; what there is none of is left
 * out. Texts are as they were sent, but for the CR of their line ends: another invisible character or colour
 * is another digest. What is one line, the title and names of fields, is as people read it.
 */
export function digestOf(approval: Approval): string {
  const { change, cutFrom, fields = [], link, message, prompt } = approval;
  const words = message ?? prompt;
  const shown = {
    ...(change !== undefined && { change: linesOf(change) }),
    ...(cutFrom !== undefined && { cutFrom: { lines: cutFrom.lines, sha256: cutFrom.sha256 } }),
    ...(fields.length > 0 && {
      fields: fields.map(([name, value]) => [spellLine(name).text, linesOf(value)]),
    }),
    ...(link !== undefined && { link }),
    ...(words !== undefined && { message: linesOf(words) }),
    title: titleOf(approval),
  };
  return hash('sha256', JSON.stringify(shown), 'hex');
}

/** So many of its digits people compare. */
export const DIGEST_SHOWN = 8;
