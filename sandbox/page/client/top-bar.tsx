import { useState } from 'preact/hooks';
import type { PageState } from '../page-state.ts';
import { usePanel } from './panel.ts';
import { Avatar } from './parts/avatar.tsx';
import { Icon } from './parts/icon.tsx';
import { addressOf, nowhere } from './place/place.ts';
import { useGo } from './place/use-place.ts';
import { chooseTheme, presentTheme } from './theme.ts';

export function TopBar({ state, openId }: { state: PageState; openId: string }) {
  const panel = usePanel();
  return (
    <header class="top-bar">
      <h1>
        {state.app.name} <span>sandbox</span>
      </h1>
      {panel && <panel.Bar state={state} />}
      <PersonSwitch state={state} openId={openId} />
      <SecondWindow state={state} />
      <ThemeToggle />
    </header>
  );
}

interface Props {
  readonly state: PageState;
  /** The open channel. */
  readonly openId: string;
}

/** Switches the person of this window. The person is in the address, so a second window can be somebody else. */
function PersonSwitch({ state: { me, people }, openId }: Props) {
  const go = useGo();
  const become = (id: string): void => {
    const next = people.find((person) => person.id === id);
    // The person's own channel with the app becomes the other person's.
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

/** A link that opens a second window as another person. */
function SecondWindow({ state: { me, people } }: { state: PageState }) {
  const other = people.find(({ id }) => id !== me.id);
  if (!other) return null;
  const words = `Be ${other.name.split(' ')[0]} in a second window`;
  return (
    <a
      class="icon-button"
      href={addressOf({ ...nowhere, as: other.id })}
      target="_blank"
      rel="noreferrer"
      aria-label={words}
      title={words}
    >
      <Icon name="window" />
    </a>
  );
}

function ThemeToggle() {
  const [theme, setTheme] = useState(presentTheme);
  const other = theme === 'dark' ? 'light' : 'dark';
  const toggle = (): void => {
    chooseTheme(other);
    setTheme(other);
  };
  return (
    <button type="button" class="icon-button" aria-label={`Use ${other} colours`} onClick={toggle}>
      <Icon name={theme === 'dark' ? 'sun' : 'moon'} />
    </button>
  );
}
