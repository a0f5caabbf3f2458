/**
 * `/move-task`: which work item (`reference.ts`), where to (`destination-form.ts`), the statuses and the type there
 * (`answer-form.ts`), and the move itself, an operation (`move-operation.ts`). Automations report items at
 * `tasks-route.ts`.
 */

import type { ModalView } from '@slack/types';
import type { Core } from '../../core/core.ts';
import { throwReadError } from '../../core/people/throw-read-error.ts';
import type {
  ActionArgs,
  CommandArgs,
  Listeners,
  ShortcutArgs,
} from '../../core/slack/listeners.ts';
import { messageMarkup, ownMarkup } from '../../core/slack/message-markup.ts';
import { changedIn, listed, recordedAt, submitted } from '../../core/slack/modal-listeners.ts';
import { pressedIn, showWhere } from '../../core/slack/pressed.ts';
import { unlessAway } from '../../core/store/unless-away.ts';
import { ownBatch, pressBatch } from '../batch/press-batch.ts';
import type { Press } from '../flow/ask.ts';
import { NOT_STORED, NOT_YOURS } from '../flow/words.ts';
import { ACTIONS } from './actions.ts';
import {
  changeStatuses,
  chooseProject,
  enterByHand,
  optionsFor,
  submitDestination,
  submitEntry,
  submitMapping,
  submitReference,
} from './answer-form.ts';
import { beginMove, beginningOf, firstView } from './begin-move.ts';
import { ASK_FORM, ENTRY_FORM, LOADING, noticeView } from './begin-views.ts';
import { DESTINATION_FORM } from './destination-form.ts';
import { projectsMeant } from './destinations.ts';
import { MAPPING_FORM } from './mapping-view.ts';
import { WORDS } from './outcome-words.ts';
import { readWords, referencesIn } from './reference.ts';
import { CONFIRM_FORM } from './review-view.ts';
import { HELP } from './sentences.ts';
import { MOVE_BATCH } from './several/move-batch.ts';
import { PRESS_WORDS } from './several/sentences.ts';
import { reviewAgain, sendAgain, submitMove } from './submit-move.ts';

/** `/move-task`, its shortcut and its buttons in messages, and everything in its modal. */
export function listenToTasks(app: Listeners, core: Core): void {
  app.command('/move-task', onCommand(core));
  app.shortcut('tasks.move', onShortcut(core));
  app.action(ACTIONS.begin, onBegin(core));
  app.action(ACTIONS.project, onProject(core));
  app.action(ACTIONS.enter, onEnter(core));
  app.action(ACTIONS.change, onChange(core));
  app.action(ACTIONS.review, onReview(core));
  app.action(ACTIONS.again, recordedAt(core, LOADING, sendAgain));
  for (const id of [ACTIONS.againFailed, ACTIONS.againOne, ACTIONS.pageBefore, ACTIONS.pageAfter]) {
    app.action(id, recordedAt(core, LOADING, onSeveral));
  }
  app.action(ACTIONS.reviewOne, onReviewOne(core));
  for (const list of [ACTIONS.project, ACTIONS.type, ACTIONS.status]) {
    app.options(
      list,
      listed((form, place) => optionsFor(core, form, place)),
    );
  }
  app.view(ASK_FORM.id, submitted(core, submitReference));
  app.view(ENTRY_FORM.id, submitted(core, submitEntry));
  app.view(DESTINATION_FORM.id, submitted(core, submitDestination));
  app.view(MAPPING_FORM.id, submitted(core, submitMapping));
  app.view(CONFIRM_FORM.id, submitted(core, submitMove));
}

function onCommand(core: Core) {
  return async ({ command, ack }: CommandArgs): Promise<void> => {
    const { links, catalogue } = core.config;
    const isProject = (text: string) => projectsMeant(catalogue.projects, text).length > 0;
    const words = readWords(command.text, links.task, isProject);
    if (words.kind === 'help') return ack({ response_type: 'ephemeral', text: HELP });
    await ack();
    await beginMove(core, {
      trigger: command.trigger_id,
      user: command.user_id,
      channel: command.channel_id,
      responseUrl: command.response_url,
      reference: words.reference,
      ...(words.others && { others: words.others }),
      wanted: words.project,
    });
  };
}

/** If the message names one item, there is nothing to ask; of several, some may stay. */
function onShortcut(core: Core) {
  return async ({ shortcut, ack }: ShortcutArgs): Promise<void> => {
    await ack();
    if (shortcut.type !== 'message_action') return;
    const within = (markup: string) => referencesIn(markup, core.config.links.task);
    const own = within(ownMarkup(shortcut.message));
    const found = own.length > 0 ? own : within(messageMarkup(shortcut.message));
    await beginMove(core, {
      trigger: shortcut.trigger_id,
      user: shortcut.user.id,
      channel: shortcut.channel.id,
      responseUrl: shortcut.response_url,
      reference: found.length === 1 ? (found[0] ?? null) : null,
      found,
      wanted: null,
    });
  };
}

function onBegin(core: Core) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    await ack();
    await beginMove(core, {
      trigger: body.trigger_id,
      user: body.user.id,
      channel: body.container.channel_id,
      responseUrl: body.response_url,
      reference: pressedIn(body).value,
      wanted: null,
    });
  };
}

/** If it cannot be read, the modal stays, with an explanation next to it. */
function onProject(core: Core) {
  return changedIn(core, WORDS.notOpened, (form) =>
    chooseProject(core, form).catch(throwReadError),
  );
}

function onEnter(core: Core) {
  return changedIn(core, WORDS.notOpened, (_form, { value }) =>
    enterByHand(core, value).catch(throwReadError),
  );
}

function onChange(core: Core) {
  return changedIn(core, WORDS.notOpened, (_form, { value }) =>
    changeStatuses(core, value).catch(throwReadError),
  );
}

function onReview(core: Core) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    await ack();
    const view = () => reviewAgain(core, pressedIn(body));
    const isInModal = body.view !== undefined;
    await showWhere(core, body, LOADING, () =>
      isInModal ? view().catch(throwReadError) : unlessAway(view(), noticeView(NOT_STORED)),
    );
  };
}

/** Stored before the acknowledgement; the message shows the result. */
async function onSeveral(core: Core, press: Press): Promise<ModalView | undefined> {
  const said = await pressBatch(core, MOVE_BATCH, PRESS_WORDS, press);
  return said === undefined ? undefined : noticeView(said);
}

/** One of several items, moved alone as if named where they were. */
function onReviewOne(core: Core) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    await ack();
    const { user, value } = pressedIn(body);
    await showWhere(core, body, LOADING, () =>
      unlessAway(reviewOne(core, user, value), noticeView(NOT_STORED)),
    );
  };
}

/** `value`: a batch and one of its lines. Throws StoreError. */
async function reviewOne(core: Core, user: string, value: string): Promise<ModalView> {
  const [record = '', line = ''] = value.split(' ');
  const found = await ownBatch(core.store, MOVE_BATCH, record, user);
  if (found === 'not-theirs') return noticeView(NOT_YOURS);
  const known = found === 'gone' ? undefined : found.lines[Number(line)];
  if (found === 'gone' || known === undefined) return noticeView(WORDS.gone);
  const { channel, target } = found;
  const where = { user, channel, wanted: target.projectId };
  return firstView(core, beginningOf(where, known.reference));
}
