import type { PageChannel } from '../../page-state.ts';
import { ChannelName } from './channel-name.tsx';

export function ChannelHead({ channel }: { channel: PageChannel }) {
  const { kind, memberCount } = channel;
  return (
    <header class="pane-head">
      <h2>
        <ChannelName channel={channel} />
      </h2>
      {kind !== 'app' && <p class="quiet">{memberCount} members</p>}
    </header>
  );
}
