import type { Button, KnownBlock } from '@slack/types';
import { actions, button, confirm, section } from '../../../core/slack/blocks.ts';
import type { SlackLinks } from '../../../core/slack/links.ts';
import type { SlackMessage } from '../../../core/slack/outbox.ts';
import { ACTIONS } from '../actions.ts';
import type { TestPlaces } from '../catalogue.ts';
import {
  type BatchRecord,
  type BatchState,
  type LineState,
  lineState,
  mayExistTwice,
  writePress,
} from './batch.ts';
import { sectionsOf } from './pack-rows.ts';
import {
  casesText,
  DRAFTS,
  endText,
  explanation,
  headline,
  inProject,
  progressText,
} from './sentences.ts';

/** The direct message to the person: progress, and finally each line's outcome, in pages. */
export function batchMessage(
  id: string,
  batch: BatchRecord,
  state: BatchState,
  places: TestPlaces,
): SlackMessage {
  const head = headline(batch, state, places);
  if (state.state !== 'done') {
    const text = `${head}\n${progressText(state)}`;
    return { text, blocks: [section(text)] };
  }
  const text = [head, explanation(batch, state)].filter((each) => each !== '').join('\n');
  const pages = pagesOf(rowsOf(id, batch, places));
  const at = Math.min(Math.max(state.page, 0), pages.length - 1);
  const buttons = [...repairs(id, state), ...turns(id, at, pages.length)];
  return {
    text: head,
    blocks: [
      section(text),
      ...blocksOf(pages[at] ?? []),
      ...(buttons.length > 0 ? [actions('test-cases.batch', buttons)] : []),
    ],
  };
}

/** The channel's announcement of new test cases. */
export function batchAnnouncement(
  batch: BatchRecord,
  places: TestPlaces,
  links: SlackLinks,
): SlackMessage {
  const { by, lines, place } = batch;
  const created = lines.flatMap((line, index) =>
    lineState(line) === 'created' ? [{ text: endText(line, index + 1, place, places) }] : [],
  );
  const [shown = []] = pagesOf(created.slice(0, ANNOUNCED_MAX));
  const more = created.length - shown.length;
  const what = `${casesText(created.length)} created ${inProject(place, places)}`;
  const head = `${what} by ${links.person(by)}. ${DRAFTS}`;
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

/** Lines that need attention come first. */
const ORDER: readonly (LineState | 'twice')[] = ['unknown', 'twice', 'failed', 'unsent', 'created'];

function rowsOf(id: string, batch: BatchRecord, places: TestPlaces): readonly Row[] {
  const rows = batch.lines.map((line, index) => {
    const state = lineState(line);
    const text = endText(line, index + 1, batch.place, places);
    const block = `test-cases.line.${index + 1}`;
    return {
      state: mayExistTwice(line) ? ('twice' as const) : state,
      block,
      text,
      ...(state === 'unknown' && { button: againOne(id, batch, index) }),
    };
  });
  return ORDER.flatMap((state) => rows.filter((row) => row.state === state));
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

function againOne(id: string, { run }: BatchRecord, line: number): Button {
  const sure = confirm(
    'Create it again?',
    'If the first one exists, there will be two. Check the service first.',
    'Create again',
    'Not now',
  );
  const value = writePress(id, { kind: 'again-one', run, line });
  return button(ACTIONS.againOne, 'Create it again', value, { confirm: sure });
}

/** What can be done about lines that were certainly not created. */
function repairs(id: string, { failed, unsent, run }: BatchState): readonly Button[] {
  const count = failed + unsent;
  if (count === 0) return [];
  const again = `Try ${count === 1 ? 'the failed one' : `those ${count}`} again`;
  return [
    button(ACTIONS.againFailed, again, writePress(id, { kind: 'again', run })),
    button(ACTIONS.changeLines, count === 1 ? 'Change it' : 'Change them', id),
  ];
}

function turns(id: string, at: number, count: number): readonly Button[] {
  const to = (actionId: string, label: string, page: number) =>
    button(actionId, label, writePress(id, { kind: 'page', page }));
  return [
    ...(at > 0 ? [to(ACTIONS.pageBefore, 'Previous', at - 1)] : []),
    ...(at < count - 1 ? [to(ACTIONS.pageAfter, `Next (${at + 2} of ${count})`, at + 1)] : []),
  ];
}
