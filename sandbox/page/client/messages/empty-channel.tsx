import type { PageChannel } from '../../page-state.ts';
import { Welcome } from '../first-visit/welcome.tsx';

export function EmptyChannel({ channel }: { channel: PageChannel }) {
  if (channel.id === 'C0DEPLOYS') return <Welcome />;
  if (channel.kind === 'app') {
    return <p class="empty">Gatepost writes here to you alone. Nothing yet.</p>;
  }
  const bot = channel.hasBot ? '' : ' Gatepost is not in this channel.';
  return <p class="empty">Nothing here yet.{bot}</p>;
}
