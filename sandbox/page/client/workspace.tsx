import { useEffect, useState } from 'preact/hooks';
import type { PageChannel, PageState } from '../page-state.ts';
import { Sidebar, unreadIn } from './channels/sidebar.tsx';
import { Conversation } from './messages/conversation.tsx';
import { ThreadPane } from './messages/thread-pane.tsx';
import { type Panel, usePanel } from './panel.ts';
import type { Place } from './place/place.ts';
import { type Go, GoContext, useGo } from './place/use-place.ts';
import { TopBar } from './top-bar.tsx';
import { Modal } from './views/modal.tsx';

/** All panes beside each other; in a narrow window one at a time. */
export function Workspace({ state, place }: { state: PageState; place: Place }) {
  const go = useGo();
  const panel = usePanel();
  const [pane, setPane] = useState<Pane>('messages');
  const channel = state.channels.find(({ id }) => id === place.channel) ?? state.channels[0];
  if (!channel) throw new Error('The person has no channel.');
  useTitle(state, channel);
  const sought = channel.messages.find(({ ts }) => ts === place.message);
  const isHome = place.isHome && channel.kind === 'app' && state.app.hasHome;
  const threadTs = place.thread || sought?.thread;
  const parent = channel.messages.find(({ ts }) => ts === threadTs);
  // Shows the pane that the person navigates to.
  const goThere: Go = (change) => {
    go(change);
    if (change.as === undefined) setPane('messages');
  };
  const kinds = [
    `show-${pane}`,
    panel && 'with-panel',
    parent && 'with-thread',
    isChanging(state, place) && 'changing',
  ];
  return (
    <GoContext.Provider value={goThere}>
      <div class={['workspace', ...kinds].filter(Boolean).join(' ')}>
        <TopBar state={state} openId={channel.id} />
        <Sidebar state={state} openId={channel.id} isHome={isHome} />
        <Conversation state={state} channel={channel} sought={place.message} isHome={isHome} />
        {parent && (
          <ThreadPane app={state.app} channel={channel} parent={parent} sought={place.message} />
        )}
        {panel && <panel.Pane state={state} />}
        <PaneTabs panel={panel} open={pane} onOpen={setPane} />
        {state.modal && <Modal key={state.modal.rootId} view={state.modal} />}
      </div>
    </GoContext.Provider>
  );
}

/**
 * The window is switching to another person, whose state has not arrived yet: nothing can be pressed in somebody else's
 * name.
 */
function isChanging({ me, people }: PageState, { as }: Place): boolean {
  return as !== me.id && people.some(({ id }) => id === as);
}

type Pane = 'channels' | 'messages' | 'panel';

function panesOf(panel: Panel | null) {
  return [
    { pane: 'channels', words: 'Channels', shows: '.sidebar' },
    { pane: 'messages', words: 'Messages', shows: '.conversation' },
    ...(panel ? [{ pane: 'panel', words: panel.words, shows: panel.selector } as const] : []),
  ] as const;
}

interface PaneTabsProps {
  readonly panel: Panel | null;
  readonly open: Pane;
  readonly onOpen: (pane: Pane) => void;
}

/** In a narrow window: the tabs that choose the pane. */
function PaneTabs({ panel, open, onOpen }: PaneTabsProps) {
  return (
    <nav class="pane-tabs" aria-label="Parts of the page">
      {panesOf(panel).map(({ pane, words, shows }) => (
        <button
          key={pane}
          type="button"
          data-shows={shows}
          aria-current={pane === open ? 'true' : undefined}
          onClick={() => onOpen(pane)}
        >
          {words}
        </button>
      ))}
    </nav>
  );
}

/** The window title: what is new for the person, the channel, and the person. */
function useTitle({ app, me, channels }: PageState, { kind, name }: PageChannel): void {
  const forYou = channels.reduce((sum, each) => sum + unreadIn(each, me.id).forYou, 0);
  const where = kind === 'app' ? name : `#${name}`;
  const title = `${where} as ${me.name.split(' ')[0]} · ${app.name} sandbox`;
  useEffect(() => {
    document.title = forYou > 0 ? `(${forYou}) ${title}` : title;
  }, [forYou, title]);
}
