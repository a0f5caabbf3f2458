import type { ActionsBlock, InputBlock, KnownBlock, RadioButtons } from '@slack/types';
import * as z from 'zod';
import type { Route } from '../../../core/config/config.ts';
import { cleanLine } from '../../../core/lib/clean-line.ts';
import { actions, button, context, section } from '../../../core/slack/blocks.ts';
import { readForm } from '../../../core/slack/form.ts';
import { input } from '../../../core/slack/modal-blocks.ts';
import { bold, cutPlain, literal, oneLine, plain } from '../../../core/slack/text.ts';
import type { Approval } from '../../approval.ts';
import { titleOf } from '../../digest.ts';
import { requesterText } from '../../electorate/requester.ts';
import { approvalOf } from '../../electorate/votes.ts';
import { openedId, reasonInput } from '../reason-form.ts';
import type { FoundRequest } from './look-through.ts';

/** The form in which several requests are decided: a checkbox for each, above the rest of the request. */

export const PICK_ACTION = 'approvals.several.pick';
export const ALL_ACTION = 'approvals.several.all';
export const DECISION = 'approvals.several.decision';
export const REASON = 'approvals.several.reason';
const HEAD = 'approvals.several.head';
const ROW = 'approvals.several.row.';

/** With up to four blocks each, 100 of which Slack allows. */
const ROWS_MAX = 20;
/** Slack's limit on an option's text, and on its description. */
const OPTION_MAX = 75;

/** A request, with the blocks that show all of it but its title. */
export interface Offer {
  readonly request: FoundRequest;
  readonly shown: readonly KnownBlock[];
}

export interface FormFacts {
  /** The reader. */
  readonly user: string;
  readonly rules: Route;
  /** Who asks, if known. */
  readonly nameOf: (user: string) => string | undefined;
  /** The reader's. */
  readonly timeZone: string | null;
}

/** Of those, the requests that fit into the form. */
export function offered(offers: readonly Offer[]): readonly Offer[] {
  return offers.slice(0, ROWS_MAX);
}

/** `left`: how many more requests the form does not offer. `openedAt`: when its button was pressed, by Slack's clock. */
export function formBlocks(
  offers: readonly Offer[],
  left: number,
  openedAt: number | undefined,
  facts: FormFacts,
): KnownBlock[] {
  const { approve, reject } = facts.rules.reason;
  const isAsked = approve !== 'none' || reject !== 'none';
  const isRequired = approve === 'required' && reject === 'required';
  return [
    headBlock(openedAt === undefined ? HEAD : openedId(openedAt), false),
    ...offers.flatMap((offer, at) => rowBlocks(offer, at, facts)),
    ...(left > 0 ? [context(leftText(left))] : []),
    decisionInput(0),
    ...(isAsked ? [reasonInput(REASON, !isRequired)] : []),
  ];
}

function headBlock(id: string, isAll: boolean): ActionsBlock {
  const label = isAll ? 'Clear selection' : 'Select all';
  return actions(id, [button(ALL_ACTION, label, isAll ? NOTHING : ALL)]);
}

const ALL = 'all';
const NOTHING = 'none';

function rowBlocks({ request, shown }: Offer, at: number, facts: FormFacts): KnownBlock[] {
  const { approval } = request;
  const title = cleanLine(titleOf(approval));
  const [text, rest] = cutPlain(title, OPTION_MAX);
  const [description] = cutPlain(factsOf(approval, facts), OPTION_MAX);
  const option = { text: literal(text), value: 'yes', description: literal(description) };
  return [
    actions(`${ROW}${at}`, [{ type: 'checkboxes', action_id: PICK_ACTION, options: [option] }]),
    ...(rest === '' ? [] : [section(bold(oneLine(title, title.length)))]),
    ...shown,
  ];
}

/** A description has no markup: times are in the reader's time zone, people by name. */
function factsOf(approval: Approval, { user, nameOf, timeZone }: FormFacts): string {
  const { createdAt, expiresAt, requester } = approval;
  const time = clockOf(expiresAt ?? createdAt, timeZone ?? 'UTC');
  const known = requester?.user === undefined ? undefined : nameOf(requester.user);
  const asker = cleanLine(known ?? (requester === undefined ? '' : requesterText(requester)));
  return [
    expiresAt === undefined ? `Waiting since ${time}` : `Deadline ${time}`,
    ...(approvalOf(approval, user) === undefined ? [] : ['you approved']),
    ...(asker === '' ? [] : [`asked by ${asker}`]),
  ].join(' · ');
}

function clockOf(at: number, timeZone: string): string {
  try {
    return new Intl.DateTimeFormat('en-GB', {
      ...{ weekday: 'short', day: 'numeric', month: 'short' },
      ...{ hour: '2-digit', minute: '2-digit', timeZone },
      ...(timeZone === 'UTC' && { timeZoneName: 'short' }),
    }).format(at);
  } catch (error) {
    // This machine does not know every zone that Slack does.
    if (error instanceof RangeError && timeZone !== 'UTC') return clockOf(at, 'UTC');
    throw error;
  }
}

function leftText(left: number): string {
  const what = left === 1 ? '1 more on this route is' : `${left} more on this route are`;
  const them = left === 1 ? 'it' : 'them';
  return `${what} not listed here. Review ${them} on the Home tab.`;
}

function decisionInput(count: number): InputBlock {
  const options = [
    { text: plain('Approve'), value: 'approve' },
    { text: plain('Reject'), value: 'reject' },
  ];
  const choice: RadioButtons = { type: 'radio_buttons', action_id: DECISION, options };
  const which = count === 0 ? 'the selected requests' : `the ${count} selected`;
  return input(DECISION, `Decision for ${which}`, choice);
}

const shownForm = z.looseObject({
  blocks: z.array(z.looseObject({ block_id: z.string(), elements: z.unknown().optional() })),
});
const boxes = z.tuple([
  z.looseObject({
    options: z.tuple([z.looseObject({ text: z.looseObject({ text: z.string() }) })]),
  }),
]);

/** A row of a form that came back. */
interface PickedRow {
  readonly title: string;
  readonly isPicked: boolean;
}

/** By position. */
export function rowsIn(view: unknown): readonly PickedRow[] {
  const { values } = readForm(view);
  return shownForm.parse(view).blocks.flatMap(({ block_id, elements }) => {
    if (!block_id.startsWith(ROW)) return [];
    const [box] = boxes.parse(elements);
    return [{ title: box.options[0].text.text, isPicked: values.has(block_id) }];
  });
}

/**
 * The blocks of a form in which something was selected: what it shows stays, because that is what the person read.
 * `all`: a press of its button, if that is what happened.
 */
export function reselected(
  view: unknown,
  all?: { readonly value: string; readonly press: string },
): KnownBlock[] {
  const rows = rowsIn(view);
  const isAll = all?.value === ALL;
  const picked = all === undefined ? rows.filter(({ isPicked }) => isPicked).length : 0;
  const count = isAll ? rows.length : picked;
  const blocks = shownForm.parse(view).blocks.map((block, at) => {
    const { block_id } = block;
    if (at === 0) return headBlock(block_id, count === rows.length);
    if (block_id === DECISION) return decisionInput(count);
    if (all === undefined || !block_id.startsWith(ROW)) return block;
    const [{ initial_options: _, ...box }] = boxes.parse(block.elements);
    // Slack sets a new initial value only under a new id.
    const id = `${block_id.split('_')[0]}_${all.press}`;
    const set = isAll ? { ...box, initial_options: box.options } : box;
    return { ...block, block_id: id, elements: [set] };
  });
  // as: Slack sent what this file built
  return blocks as unknown as KnownBlock[];
}
