import type { PageChannel } from '../../page-state.ts';
import { Avatar } from '../parts/avatar.tsx';
import { Icon } from '../parts/icon.tsx';

/** The name with the symbol of its kind. */
export function ChannelName({
  channel: { id, kind, name },
}: {
  channel: Pick<PageChannel, 'id' | 'kind' | 'name'>;
}) {
  return (
    <span class="channel-name">
      {kind === 'app' && <Avatar id={id} name={name} isApp isSmall />}
      {kind === 'public' && <Icon name="hash" />}
      {kind === 'private' && <Icon name="lock" />}
      <span>{name}</span>
    </span>
  );
}
