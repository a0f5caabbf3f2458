import type { Button, InputBlock, ModalView } from '@slack/types';
import * as z from 'zod';
import type { Core } from '../../core/core.ts';
import { isSeen } from '../../core/lib/clean-line.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import { section } from '../../core/slack/blocks.ts';
import { defineForm, type Form, readForm } from '../../core/slack/form.ts';
import { input, showError, textInput } from '../../core/slack/modal-blocks.ts';
import type { OpenModal } from '../../core/slack/modals.ts';
import { bold, oneLine } from '../../core/slack/text.ts';
import { StoreError } from '../../core/store/store.ts';
import { type ActedAt, actedIn } from '../acted-at.ts';
import { type Action, APPROVAL_KIND, type Approval } from '../approval.ts';
import { electorateOf } from '../electorate/electorate.ts';
import { requesterIds, withLinked } from '../electorate/requester.ts';
import { routeTerms } from '../electorate/route-for.ts';
import { tally } from '../electorate/tally.ts';
import { approvalOf } from '../electorate/votes.ts';
import { decodeApproval } from '../stored-approval.ts';
import { shownValue } from '../tell/message/elsewhere.ts';
import { type AskedReason, takeBackButtons } from '../tell/message/message.ts';
import { approvedAlreadySentence } from '../tell/message/reply-sentence.ts';
import { answerTrouble, type ButtonPress } from './cast-ballot.ts';

const INPUT = 'approvals.reason.text';
const REASON_MAX = 1_000;
const TITLE_MAX = 150;
/** Slack accepts white space as input. */
export const NO_REASON = 'Please give a reason.';

const carried = z.strictObject({
  action: z.enum(['approve', 'reject']),
  record: z.string(),
  channel: z.string(),
  message: z.string().nullable(),
  digest: z.string().optional(),
  responseUrl: z.string().nullable(),
  // A form that was opened before an upgrade has neither; the route's rule is checked again anyway.
  rule: z.enum(['optional', 'required']),
  title: z.string(),
});

const WORD: Readonly<Record<Action, string>> = { approve: 'Approve', reject: 'Reject' };

/** Asks for a reason. Closing it is never a decision. */
export const REASON_FORM = defineForm({
  id: 'approvals.reason',
  title: ({ action }) => `${WORD[action]} this request`,
  carried,
});

/** The form carries `press`, with its response URL sealed. */
export function reasonModal(
  action: Action,
  rule: AskedReason,
  press: Pick<
    ButtonPress,
    'record' | 'channel' | 'message' | 'digest' | 'responseUrl' | 'title' | 'acted' | 'round'
  >,
): ModalView {
  const word = WORD[action];
  const { record, channel, message, digest, responseUrl, title } = press;
  const carry = { action, record, channel, message, digest, responseUrl, rule, title };
  const asked = title === '' ? 'this request' : bold(oneLine(title, TITLE_MAX));
  return REASON_FORM.view(carry, {
    submit: word,
    blocks: [
      {
        ...section(`${word} ${asked}${title.endsWith('?') ? '' : '?'}`),
        // Earlier versions accept no other member of what the form carries.
        ...(press.acted !== undefined && { block_id: openedId(press.acted.ms, press.round) }),
      },
      reasonInput(INPUT, rule === 'optional', { focus_on_load: true }),
    ],
  });
}

export function reasonInput(block: string, optional: boolean, more = {}): InputBlock {
  const text = textInput(block, { multiline: true, max_length: REASON_MAX, ...more });
  return input(block, 'Reason', text, { optional, hint: 'Shown with the outcome.' });
}

const OPENED = 'approvals.reason.opened.';
const withBlocks = z.looseObject({ blocks: z.array(z.looseObject({ block_id: z.string() })) });

/** The button that opened a form. */
interface Opened {
  /** In ms. */
  readonly at: number;
  readonly round: string | undefined;
}

/** For a block of the form. `ms`: when the button was pressed. */
export function openedId(ms: number, round?: string): string {
  return [`${OPENED}${ms}`, ...(round === undefined ? [] : [round])].join('_');
}

/** undefined: an earlier version opened it. */
export function openedIn(view: unknown): Opened | undefined {
  const { data } = withBlocks.safeParse(view);
  const id = data?.blocks.find(({ block_id }) => block_id.startsWith(OPENED))?.block_id;
  if (id === undefined) return undefined;
  const [at, round] = id.slice(OPENED.length).split('_');
  return { at: Number(at), round };
}

/** A form's time is its request's; in Socket Mode it is not known, only that it is not before the button's. */
export function submittedAt(
  sentAt: number | undefined,
  openedAt: number | undefined,
): { readonly acted?: ActedAt } {
  if (sentAt !== undefined) return actedIn(sentAt);
  return openedAt === undefined ? {} : { acted: { ms: openedAt, isLeast: true } };
}

/** Reads a submitted form; `reason` is null when none was given. */
export function readReason(view: unknown): z.infer<typeof carried> & {
  readonly reason: string | null;
  readonly opened: Opened | undefined;
} {
  const form = readForm(view);
  const reason = reasonIn(form, INPUT) ?? null;
  return { ...REASON_FORM.carriedIn(form), reason, opened: openedIn(view) };
}

/** undefined: none was given. Invisible text is no reason. */
export function reasonIn({ values }: Form, block: string): string | undefined {
  const reason = values.get(block)?.trim() ?? '';
  return isSeen(reason) ? reason : undefined;
}

/** Keeps the form open, with what was typed, and shows a sentence at its input. */
export function atReason(sentence: string) {
  return showError(INPUT, sentence);
}

/**
 * The sentence for somebody whose approval already counts while more are needed; undefined: show the form, also when
 * the store does not answer at once, because a trigger is valid for three seconds.
 */
export async function approvedAlready(
  core: Core,
  press: ButtonPress,
): Promise<Already | undefined> {
  const late = core.timers.sleep(READ_MS).then(() => undefined);
  return Promise.race([readApproved(core, press), late]);
}

interface Already {
  readonly sentence: string;
  readonly buttons: readonly Button[];
}

/** Far longer than a healthy store takes. */
const READ_MS = 250;

/**
 * Whether the person is the requester and so has to give a reason, as far as it can be told at once: by their Slack
 * account, or because they were told so after an earlier press.
 */
export async function isAsker(core: Core, press: ButtonPress): Promise<boolean> {
  const late = core.timers.sleep(READ_MS).then(() => undefined);
  const approval = await Promise.race([readPressed(core, press), late]);
  if (approval === undefined) return false;
  if (requesterIds(withLinked(approval, core.config)).includes(press.user)) return true;
  return (approval.history?.events ?? []).some(
    (event) =>
      event.kind === 'not-counted' && event.by === press.user && event.why === 'reason-missing',
  );
}

async function readPressed(core: Core, { record: id }: ButtonPress): Promise<Approval | undefined> {
  const record = await core.store.read(id).catch((error: unknown) => {
    if (error instanceof StoreError) return undefined;
    throw error;
  });
  return record?.kind === APPROVAL_KIND ? decodeApproval(record) : undefined;
}

async function readApproved(core: Core, press: ButtonPress): Promise<Already | undefined> {
  const { record: id, user } = press;
  const approval = await readPressed(core, press);
  if (approval === undefined) return undefined;
  const progress = tally(electorateOf(approval, routeTerms(core, approval)), approval.ballots);
  // They may have joined a group since: only a real press checks that.
  if (approval.outcome !== undefined || progress.have >= progress.needed) return undefined;
  const before = approvalOf(approval, user);
  if (before === undefined) return undefined;
  const sentence = approvedAlreadySentence(progress, { as: before.user, user });
  return { sentence, buttons: takeBackButtons(shownValue(id, approval), approval, user) };
}

/** Opens the form. A person who cannot be shown it is told to press again. */
export async function askReason(
  core: Core,
  press: ButtonPress,
  modal: ModalView,
  inPlaceOf: OpenModal | undefined,
): Promise<void> {
  try {
    if (inPlaceOf === undefined) await core.modals.open(press.trigger, modal);
    else await core.modals.update(inPlaceOf, modal);
  } catch (error) {
    if (!(error instanceof RemoteFailure)) throw error;
    // A repeated delivery: the first one opened the form. Or the person has closed what it was to replace.
    if (error.code === 'exchanged_trigger_id' || error.code === 'not_found') return;
    core.metrics.count('click', { result: 'not-opened' });
    await answerTrouble(core, 'not-opened', press);
  }
}
