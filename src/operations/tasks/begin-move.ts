import type { ModalView } from '@slack/types';
import type { Core } from '../../core/core.ts';
import { isAdministrator } from '../../core/people/permission.ts';
import { openForm, openThenShow, type Viewer } from '../../core/slack/show-form.ts';
import { unlessAway } from '../../core/store/unless-away.ts';
import { NOT_STORED } from '../flow/words.ts';
import { askView, entryView, LOADING, noticeView, troubleView, type Where } from './begin-views.ts';
import { type Beginning, keepDraft } from './draft.ts';
import { moveRefusal } from './move-refusal.ts';
import { nextView } from './next-view.ts';
import { WORDS } from './outcome-words.ts';
import { type ReadTrouble, readItem } from './read-item.ts';
import { movedSentence, NOT_SET_UP, SET_UP, troubleSentence } from './sentences.ts';
import { askAgain, canMoveSeveral, viewOfSeveral } from './several/begin-several.ts';
import type { MovedItem } from './snapshot.ts';

/** A person who wants to move something, and where. */
interface MoveStart {
  readonly trigger: string;
  readonly user: string;
  readonly channel: string;
  readonly responseUrl: string | null;
  /** null: ask for it; `found`: suggestions. */
  readonly reference: string | null;
  /** More items to move to the same destination. */
  readonly others?: readonly string[];
  readonly found?: readonly string[];
  readonly wanted: string | null;
}

/** Opens the modal before anything slow: its trigger is valid for three seconds. */
export async function beginMove(core: Core, start: MoveStart): Promise<void> {
  const { reference, others, user, channel, wanted, found = [] } = start;
  const viewer = { ...viewerOf(start), trigger: start.trigger };
  if (core.config.catalogue.projects.length === 0) {
    const sentence = async () => ((await isAdministrator(core, user)) ? SET_UP : NOT_SET_UP);
    await openThenShow(core, viewer, LOADING, async () => noticeView(await sentence()));
    return;
  }
  if (reference === null) {
    const view = askView({ channel, wanted }, found, { takesAll: canMoveSeveral(core) });
    await openForm(core, viewer, view);
    return;
  }
  const beginning = beginningOf({ user, channel, wanted }, reference, others);
  await openThenShow(core, viewer, LOADING, () => firstView(core, beginning));
}

export function viewerOf({
  user,
  responseUrl,
}: {
  readonly user: string;
  readonly responseUrl: string | null;
}): Viewer {
  return { user, responseUrl, otherwise: WORDS.notOpened };
}

export function beginningOf(
  { user, channel, wanted }: Where & { readonly user: string },
  reference: string,
  others: readonly string[] = [],
): Beginning {
  return {
    v: 1,
    by: user,
    channel,
    reference,
    ...(others.length > 0 && { others }),
    ...(wanted !== null && { wanted }),
    choices: [],
  };
}

/** The first view of a move: whether the person may, and what the item needs next. */
export async function firstView(core: Core, beginning: Beginning): Promise<ModalView> {
  const view = async () => {
    const away = await moveRefusal(core, beginning);
    if (away !== null) return noticeView(away);
    return beginning.others === undefined
      ? viewOfItem(core, beginning)
      : viewOfSeveral(core, beginning);
  };
  const again = askAgain(core, beginning, NOT_STORED);
  return unlessAway(view(), again);
}

async function viewOfItem(core: Core, beginning: Beginning): Promise<ModalView> {
  const read = await readItem(core, beginning.reference);
  if (read.kind === 'found') {
    const { item, from, readAt } = read;
    return nextView(core, { ...beginning, item, from, readAt }, { isAccountRead: true });
  }
  if (read.kind === 'moved') return viewOfMoved(core, beginning, read.moved);
  return viewOfTrouble(core, beginning, read);
}

/** The view for an item that could not be read: the form to correct it, or another way to name it. */
export async function viewOfTrouble(
  core: Core,
  beginning: Beginning,
  { why: code, detail }: { readonly why: ReadTrouble; readonly detail: string | null },
): Promise<ModalView> {
  const why = troubleSentence(code, detail);
  const ways = WAYS_ON[code];
  if (ways === 'ask') return askAgain(core, beginning, why);
  const id = await keepDraft(core, beginning);
  if (ways === 'enter') return entryView(id, why);
  if (ways === 'offer') return troubleView(id, why);
  return askAgain(core, beginning, why, id);
}

/**
 * What helps if an item could not be read. Entering it by hand is only for items that cannot be read; a mistyped key is
 * corrected instead.
 */
const WAYS_ON = {
  'no-source': 'enter',
  'by-hand': 'enter',
  'no-snapshot': 'ask or offer',
  'not-found': 'ask',
  busy: 'ask',
  unreachable: 'ask',
  forbidden: 'ask or offer',
  refused: 'ask or offer',
  unauthorized: 'offer',
  incomplete: 'offer',
  unreadable: 'offer',
} as const satisfies Record<ReadTrouble, 'ask' | 'enter' | 'offer' | 'ask or offer'>;

/** The item's new place, for people who may move it from there. */
async function viewOfMoved(core: Core, beginning: Beginning, moved: MovedItem): Promise<ModalView> {
  const away = await moveRefusal(core, beginning, {
    way: { from: moved.projectId },
    isAccountRead: true,
  });
  if (away !== null) return noticeView(away);
  const id = await keepDraft(core, beginning);
  const why = movedSentence(moved, core.config);
  return core.config.move.source === 'push' ? troubleView(id, why) : entryView(id, why);
}
