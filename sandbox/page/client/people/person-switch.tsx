import type { PageState } from '../../page-state.ts';
import { useGo } from '../place/go.ts';
import { Avatar } from './avatar.tsx';

interface Props {
  readonly state: PageState;
  /** The channel that is open. */
  readonly openId: string;
}

/** Who this window is. It is in the address: a second window can be somebody else. */
export function PersonSwitch({ state: { me, people }, openId }: Props) {
  const go = useGo();
  const become = (id: string): void => {
    const next = people.find((person) => person.id === id);
    // One's own channel with the bot becomes that of the other.
    const channel = openId === me.directId ? (next?.directId ?? '') : openId;
    go({ as: id, channel, message: '', thread: '' });
  };
  return (
    <label class="person-switch">
      <span>You are</span>
      <Avatar id={me.id} name={me.name} isSmall />
      <select value={me.id} onChange={({ currentTarget }) => become(currentTarget.value)}>
        {people.map(({ id, name, note }) => (
          <option key={id} value={id}>
            {note ? `${name} (${note})` : name}
          </option>
        ))}
      </select>
    </label>
  );
}
