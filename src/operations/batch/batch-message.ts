import type { Button, KnownBlock } from '@slack/types';
import { actions, button, section } from '../../core/slack/blocks.ts';
import type { SlackMessage } from '../../core/slack/outbox.ts';
import type { OperationTypes, Rules } from '../flow/rules.ts';
import { type BatchState, type LineEnd, type LineState, lineState, writePress } from './batch.ts';
import { sectionsOf } from './pack-rows.ts';

/** The words of a kind of batch, in mrkdwn. */
export interface BatchWords<Line> {
  /** One line with the state. */
  readonly head: string;
  /** Below it at the end, about all of them. */
  readonly explanation: string;
  /** The outcome of a line. */
  textOf(line: Line, index: number): string;
  /** What can be done about a line. */
  buttonOf(line: Line, index: number): Button | undefined;
  /** What can be done about all lines that were certainly not done. */
  readonly repairs: readonly Button[];
  /** The id of its blocks and buttons begins with it. */
  readonly prefix: string;
  readonly pageBefore: string;
  readonly pageAfter: string;
}

/** The direct message to the person: progress, and finally each line's outcome, in pages. */
export function batchMessage<T extends OperationTypes, Line extends LineEnd<T>>(
  id: string,
  rules: Rules<T>,
  lines: readonly Line[],
  state: BatchState,
  words: BatchWords<Line>,
): SlackMessage {
  const { head, explanation, prefix } = words;
  if (state.state !== 'done') {
    const text = `${head}\n${progressText(state)}`;
    return { text, blocks: [section(text)] };
  }
  const text = [head, explanation].filter((each) => each !== '').join('\n');
  const pages = pagesOf(rowsOf(rules, lines, words));
  const at = Math.min(Math.max(state.page, 0), pages.length - 1);
  const buttons = [...words.repairs, ...turns(id, at, pages.length, words)];
  return {
    text: head,
    blocks: [
      section(text),
      ...blocksOf(pages[at] ?? []),
      ...(buttons.length > 0 ? [actions(`${prefix}.batch`, buttons)] : []),
    ],
  };
}

/** The channel's announcement: `head`, and as many lines as fit. */
export function batchAnnouncement(head: string, lines: readonly string[]): SlackMessage {
  const [shown = []] = pagesOf(lines.slice(0, ANNOUNCED_MAX).map((text) => ({ text })));
  const more = lines.length - shown.length;
  const rest = more > 0 ? [`and ${more} more`] : [];
  return {
    text: head,
    blocks: [section(head), ...sectionsOf([...shown.map(({ text }) => text), ...rest])],
  };
}

const ANNOUNCED_MAX = 8;

interface Row {
  readonly block: string;
  readonly text: string;
  readonly button?: Button;
}

/** Lines that need attention come first; twice: done, while the effect of an earlier call is unknown. */
const ORDER: readonly (LineState | 'twice')[] = [
  'unknown',
  'twice',
  'failed',
  'unsent',
  'succeeded',
];

function rowsOf<T extends OperationTypes, Line extends LineEnd<T>>(
  rules: Rules<T>,
  lines: readonly Line[],
  { prefix, textOf, buttonOf }: BatchWords<Line>,
): readonly Row[] {
  const rows = lines.map((line, index) => {
    const button = buttonOf(line, index);
    return {
      state: mayBeTwice(rules, line) ? ('twice' as const) : lineState(rules, line),
      block: `${prefix}.line.${index + 1}`,
      text: textOf(line, index),
      ...(button !== undefined && { button }),
    };
  });
  return ORDER.flatMap((state) => rows.filter((row) => row.state === state));
}

export function mayBeTwice<T extends OperationTypes>(rules: Rules<T>, line: LineEnd<T>): boolean {
  return lineState(rules, line) === 'succeeded' && line.unconfirmed !== undefined;
}

/** Below Slack's limits of 10,000 characters and 50 blocks per message, with room for the rest. */
const PAGE_CHARACTERS = 7_500;
const PAGE_ROWS = 20;
/** The texts of a button and its confirmation. */
const BUTTON_CHARACTERS = 180;

/** Divides rows into as many messages as needed. */
function pagesOf<Shown extends Pick<Row, 'text' | 'button'>>(
  rows: readonly Shown[],
): readonly (readonly Shown[])[] {
  const pages: Shown[][] = [[]];
  let characters = 0;
  for (const row of rows) {
    const page = pages.at(-1) ?? [];
    const own = row.text.length + (row.button === undefined ? 0 : BUTTON_CHARACTERS);
    const isFull = page.length === PAGE_ROWS || characters + own > PAGE_CHARACTERS;
    if (isFull && page.length > 0) {
      pages.push([row]);
      characters = own;
    } else {
      page.push(row);
      characters += own;
    }
  }
  return pages;
}

function blocksOf(rows: readonly Row[]): KnownBlock[] {
  const single = rows.flatMap(({ block, text, button }) =>
    button === undefined ? [] : [{ ...section(text), block_id: block, accessory: button }],
  );
  const others = rows.flatMap(({ text, button }) => (button === undefined ? [text] : []));
  return [...single, ...sectionsOf(others)];
}

function turns(
  id: string,
  at: number,
  count: number,
  { pageBefore, pageAfter }: Pick<BatchWords<unknown>, 'pageBefore' | 'pageAfter'>,
): readonly Button[] {
  const to = (actionId: string, label: string, page: number) =>
    button(actionId, label, writePress(id, { kind: 'page', page }));
  return [
    ...(at > 0 ? [to(pageBefore, 'Previous', at - 1)] : []),
    ...(at < count - 1 ? [to(pageAfter, `Next (${at + 2} of ${count})`, at + 1)] : []),
  ];
}

/** "██████░░░░ 12 of 40", and the failures so far. */
function progressText({ done, queued, failed, unknown }: BatchState): string {
  const full = queued === 0 ? BAR : Math.floor((done / queued) * BAR);
  const bar = '█'.repeat(full) + '░'.repeat(BAR - full);
  return `\`${bar}\` ${done} of ${queued}${countsText({ failed, unknown })}`;
}

const BAR = 20;

/** Why it stopped, after several lines with an unknown end. */
export const UNCLEAR =
  'The service gave no clear answer several times in a row. Try the rest again later.';

/** Repeats all lines that can be repeated together. */
export function againButton(
  actionId: string,
  id: string,
  count: number,
  { run }: Pick<BatchState, 'run'>,
): Button {
  const which = count === 1 ? 'the failed one' : `those ${count}`;
  return button(actionId, `Try ${which} again`, writePress(id, { kind: 'again', run }));
}

/** " · 2 failed · 1 unknown" */
export function countsText(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([what, count]) => ` · ${count} ${what}`)
    .join('');
}

/** What a kind of batch does, for its headline. */
export interface HeadWords {
  /** "40 test cases" */
  counted(count: number): string;
  /** "in *Checkout*" */
  readonly where: string;
  readonly can: string;
  readonly doing: string;
  readonly done: string;
}

/** One line with the state; `isStopped`: it ended before all lines were sent. */
export function headlineOf(
  all: number,
  isStopped: boolean,
  state: BatchState,
  { counted, where, can, doing, done }: HeadWords,
): string {
  const { succeeded, failed, unknown, unsent, queued } = state;
  if (state.state === 'authorizing') {
    return `:hourglass_flowing_sand: *Checking whether you can ${can} ${counted(queued)}* ${where}`;
  }
  if (state.state === 'working') {
    return `:hourglass_flowing_sand: *${doing} ${counted(queued)}* ${where}`;
  }
  if (succeeded === all) {
    const what = all === 1 ? counted(all) : `All ${counted(all)}`;
    return `:white_check_mark: *${what} ${done}* ${where}`;
  }
  if (isStopped && unsent > 0) {
    const others = countsText({ failed, unknown, 'not sent': unsent });
    return `:warning: *Stopped: ${succeeded} of ${all} ${done}* ${where}${others}`;
  }
  const rest = { [done]: succeeded, unknown, 'not sent': unsent };
  if (failed > 0) return `:warning: *${failed} of ${all} failed* ${where}${countsText(rest)}`;
  if (unknown > 0) {
    return `:grey_question: *${unknown} of ${all} unknown* ${where}${countsText({ [done]: succeeded })}`;
  }
  return `:warning: *${succeeded} of ${all} ${done}* ${where}${countsText({ 'not sent': unsent })}`;
}
