import { shownView } from './act-payload.ts';
import { optionsProblems } from './blocks/check-blocks.ts';
import type { Events } from './events.ts';
import { inviteByCommand } from './invite-command.ts';
import type { Manifest } from './manifest.ts';
import type { Carry } from './notice.ts';
import { homeOf } from './open-views.ts';
import type { RequestUrls } from './request-urls.ts';
import { closeView, submitView } from './submit-view.ts';
import { askOptions } from './suggest.ts';
import { typeCommand } from './type-command.ts';
import { choose, pressButton } from './use-element.ts';
import { useShortcut } from './use-shortcut.ts';
import type { Workspace } from './workspace-handle.ts';
import { directConversation, type Memory, type World } from './world.ts';

type Doings = Pick<
  Workspace,
  'click' | 'choose' | 'suggest' | 'command' | 'shortcut' | 'submit' | 'closeModal' | 'openHome'
>;

/** The part of the handle for actions that the app is told about and can answer. */
export function doInWorkspace(needs: {
  readonly memory: Memory;
  readonly manifest: Manifest;
  readonly hasScope: (scope: string) => boolean;
  readonly url: string;
  readonly now: () => number;
  readonly randomId: () => string;
  readonly patienceMs: number;
  readonly changed: () => void;
  readonly carry: Carry;
  readonly tell: Events['tell'];
  readonly requestUrl: () => string | RequestUrls | null;
}): Doings {
  const { manifest } = needs;
  /** A reset replaces the world. */
  const here = () => ({ ...needs, world: needs.memory.world });
  return {
    click: (press) => pressButton(press, here()),
    choose: (choice) => choose(choice, here()),
    suggest: (suggestion) =>
      askOptions(suggestion, {
        ...here(),
        hasOptionsUrl: () => manifest.optionsUrl || needs.requestUrl() === null,
        problemsOf: optionsProblems,
      }),
    command: async (typed) => inviteByCommand(typed, needs) ?? typeCommand(typed, here()),
    shortcut: (use) => useShortcut(use, here()),
    submit: (submission) => submitView(submission, here()),
    closeModal: (closing) => closeView(closing, here()),
    openHome: (user, tab = 'home') => openHome(user, tab, here()),
  };
}

/** A person opens one of the app's tabs. Throws if it has no such tab, or they cannot sign in. */
function openHome(
  user: string,
  tab: 'home' | 'messages',
  {
    world,
    manifest,
    tell,
  }: {
    readonly world: World;
    readonly manifest: Manifest;
    readonly tell: Events['tell'];
  },
): void {
  const isThere = tab === 'home' ? manifest.homeTab : manifest.messagesTab !== 'off';
  if (!isThere) throw new Error(`The app has no ${tab} tab.`);
  const person = world.users.get(user);
  if (!person || person.deleted || person.is_bot) throw new Error(`${user} cannot sign in.`);
  const open = homeOf(world, user);
  tell({
    type: 'app_home_opened',
    user,
    channel: directConversation(world, user).id,
    tab,
    ...(tab === 'home' && open && { view: shownView(open) }),
  });
}
