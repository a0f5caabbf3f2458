import type { ModalView } from '@slack/types';
import type { Core } from '../../core/core.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import { actions, button } from '../../core/slack/blocks.ts';
import type { ShortcutArgs } from '../../core/slack/listeners.ts';
import type { Pressed } from '../../core/slack/pressed.ts';
import { unlessAway } from '../../core/store/unless-away.ts';
import { NOT_STORED, NOT_YOURS } from '../flow/words.ts';
import { ACTIONS } from './actions.ts';
import type { Entered } from './fields.ts';
import { type Asker, filledForm, ifAllowed } from './first-form.ts';
import { fromThread, type MessageLinks, type NamesOf } from './from-message.ts';
import { noticeView } from './result-view.ts';
import { FROM_WHICH, NOBODY_WROTE, threadLabel, threadTrouble, WORDS } from './sentences.ts';

/** A message that the shortcut was used on. */
interface Used extends Asker {
  readonly ts: string;
  readonly thread: string;
  readonly isInThread: boolean;
  /** Only the first message has it. */
  readonly replies: number | null;
}

type MessageShortcut = Extract<ShortcutArgs['shortcut'], { type: 'message_action' }>;

export function usedOn({ user, channel, message, message_ts: ts }: MessageShortcut): Used {
  const { thread_ts: thread, reply_count: replies } = message;
  // All replies may have been deleted.
  const isInThread = typeof thread === 'string' && !(thread === ts && replies === 0);
  return {
    ...{ user: user.id, channel: channel.id, ts, isInThread },
    thread: isInThread ? thread : ts,
    replies: typeof replies === 'number' ? replies : null,
  };
}

/** A message as it was when the shortcut was used: Gatepost may not be able to read it in its channel. */
interface Draft extends Used {
  readonly v: 1;
  readonly entered: Entered;
}

/** How long the choice can be made. */
const DRAFT_MS = 3_600_000;

/** Asks whether the form is filled from the message or from its thread. */
export function chooseThread(
  core: Core,
  used: Used,
  entered: () => Promise<Entered>,
): Promise<ModalView> {
  return ifAllowed(core, used, async () => {
    const id = core.random.uuid();
    const draft: Draft = { v: 1, ...used, entered: await entered() };
    await core.store.put(keyOf(id), JSON.stringify(draft), DRAFT_MS);
    return noticeView(FROM_WHICH, [
      actions('test-cases.source', [
        button(ACTIONS.fromMessage, 'This message', id),
        button(ACTIONS.fromThread, threadLabel(used.replies), id),
      ]),
    ]);
  });
}

/** The form, filled from the message. */
export function formOfMessage(core: Core, press: Pressed): Promise<ModalView> {
  return withDraft(core, press, (draft) => filledForm(core, draft, draft.entered));
}

/** The form, filled from the thread; if that cannot be read, from the message, with the reason. */
export function formOfThread(core: Core, press: Pressed): Promise<ModalView> {
  return withDraft(core, press, async (draft) => {
    try {
      const thread = await core.readThread(draft.channel, draft.thread);
      const links = await linksTo(core, draft);
      const entered = await fromThread(thread, { names: namesIn(core), links });
      if (entered !== undefined) return filledForm(core, draft, entered);
      return filledForm(core, draft, draft.entered, NOBODY_WROTE);
    } catch (error) {
      if (!(error instanceof RemoteFailure)) throw error;
      return filledForm(core, draft, draft.entered, threadTrouble(error));
    }
  });
}

function withDraft(
  { store }: Core,
  { value, user }: Pressed,
  view: (draft: Draft) => Promise<ModalView>,
): Promise<ModalView> {
  const shown = async () => {
    const text = await store.get(keyOf(value));
    // as: only `chooseThread` writes it
    const draft = text === undefined ? undefined : (JSON.parse(text) as Draft);
    if (draft?.v !== 1) return noticeView(WORDS.gone);
    return draft.user === user ? view(draft) : noticeView(NOT_YOURS);
  };
  return unlessAway(shown(), noticeView(NOT_STORED));
}

function keyOf(id: string): string {
  return `test-cases.thread:${id}`;
}

/** To the message, and to the first one of its thread if that is another. */
export async function linksTo(
  { permalink }: Core,
  { channel, ts, thread }: Pick<Used, 'channel' | 'ts' | 'thread'>,
): Promise<MessageLinks> {
  const [message, first] = await Promise.all([
    permalink(channel, ts, thread),
    thread === ts ? undefined : permalink(channel, thread),
  ]);
  return { message, thread: first };
}

/** People whose names Slack does not return in time stay unnamed: the form does not wait. */
export function namesIn({ lookup, timers }: Core): NamesOf {
  return async (ids) => {
    const signal = timers.deadline(NAMES_MS);
    const named = ids.map(async (id): Promise<[string, string][]> => {
      const person = await lookup.recent.person(id, { signal }).catch(unlessRemote);
      return person === undefined ? [] : [[id, person.displayName]];
    });
    return new Map((await Promise.all(named)).flat());
  };
}

const NAMES_MS = 2_000;

function unlessRemote(error: unknown): undefined {
  if (!(error instanceof RemoteFailure)) throw error;
}
