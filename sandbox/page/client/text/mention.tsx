import { useReader } from './reader.ts';

interface Props {
  readonly kind: 'user' | 'channel' | 'group';
  readonly id: string;
  readonly label: string;
}

/** A person, a user group or a channel that a message names. */
export function Mention({ kind, id, label }: Props) {
  const reader = useReader();
  const name = reader.names[id] ?? (label.replace(/^[@#]/, '') || id);
  const mark = kind === 'channel' ? '#' : '@';
  return <span class={id === reader.id ? 'mention you' : 'mention'}>{mark + name}</span>;
}
