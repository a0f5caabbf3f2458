import type { PageChannel, PageState } from '../../page-state.ts';
import { useGo } from '../place/go.ts';
import { ChannelLink } from './channel-link.tsx';

interface Props {
  readonly state: PageState;
  readonly openId: string;
}

/** Everywhere the person can go. */
export function Sidebar({ state: { channels }, openId }: Props) {
  const go = useGo();
  const link = (channel: PageChannel) => (
    <li key={channel.id}>
      <ChannelLink
        channel={channel}
        isOpen={channel.id === openId}
        onOpen={() => go({ channel: channel.id, message: '', thread: '', isHome: false })}
      />
    </li>
  );
  return (
    <nav class="sidebar" aria-label="Workspace">
      <h2 id="channels">Channels</h2>
      <ul aria-labelledby="channels">{channels.filter(({ kind }) => kind !== 'app').map(link)}</ul>
      <h2 id="apps">Apps</h2>
      <ul aria-labelledby="apps">{channels.filter(({ kind }) => kind === 'app').map(link)}</ul>
    </nav>
  );
}
