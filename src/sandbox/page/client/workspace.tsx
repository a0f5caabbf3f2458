import { useState } from 'preact/hooks';
import type { PageState } from '../page-state.ts';
import { Backstage } from './backstage/backstage.tsx';
import { Sidebar } from './channels/sidebar.tsx';
import { Conversation } from './messages/conversation.tsx';
import { type Pane, PaneTabs } from './pane-tabs.tsx';
import type { Place } from './place/place.ts';
import { ThreadPane } from './threads/thread-pane.tsx';
import { TopBar } from './top-bar.tsx';
import { Modal } from './views/modal.tsx';

/** Everything beside each other; in a narrow window one at a time. */
export function Workspace({ state, place }: { state: PageState; place: Place }) {
  const [pane, setPane] = useState<Pane>('messages');
  const channel = state.channels.find(({ id }) => id === place.channel) ?? state.channels[0];
  if (!channel) throw new Error('The person has no channel.');
  const sought = channel.messages.find(({ ts }) => ts === place.message);
  const threadTs = place.thread || sought?.thread;
  const parent = channel.messages.find(({ ts }) => ts === threadTs);
  return (
    <div class={`workspace show-${pane} ${parent ? 'with-thread' : ''}`}>
      <TopBar state={state} openId={channel.id} />
      <Sidebar state={state} openId={channel.id} onOpen={() => setPane('messages')} />
      <Conversation state={state} channel={channel} place={place} />
      {parent && (
        <ThreadPane app={state.app} channel={channel} parent={parent} sought={place.message} />
      )}
      <Backstage state={state} />
      <PaneTabs open={pane} onOpen={setPane} />
      {state.modal && <Modal key={state.modal.rootId} view={state.modal} />}
    </div>
  );
}
