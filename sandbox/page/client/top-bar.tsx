import { useState } from 'preact/hooks';
import type { PageState } from '../page-state.ts';
import { Avatar } from './parts/avatar.tsx';
import { Icon } from './parts/icon.tsx';
import { addressOf, nowhere } from './place/place.ts';
import { useGo } from './place/use-place.ts';
import { chooseTheme, presentTheme } from './theme.ts';

export function TopBar({ state, openId }: { state: PageState; openId: string }) {
  return (
    <header class="top-bar">
      <h1>
        Gatepost <span>sandbox</span>
      </h1>
      <NextStepLine state={state} />
      <PersonSwitch state={state} openId={openId} />
      <SecondWindow state={state} />
      <ThemeToggle />
    </header>
  );
}

/** One quiet line. It is read out when it changes. */
function NextStepLine({ state }: { state: PageState }) {
  const words = nextStep(state);
  return (
    <p class={words === null ? 'next-step done' : 'next-step'} role="status">
      {words}
    </p>
  );
}

/** What to press next, until the first approval is approved; null from then on. */
function nextStep({ approvals, me }: PageState): string | null {
  if (approvals.some(({ status }) => status === 'APPROVED')) return null;
  const [latest] = approvals;
  if (!latest) return 'Start here: press “Ask for approval” behind the scenes.';
  if (latest.status === 'PENDING') return pendingStep(me);
  if (latest.canCheck) {
    return 'The bot finds out when it looks the next time. To be quicker, press “Tell the bot to look”.';
  }
  return 'Read what the message says now. Then press “Ask for approval” again, and approve.';
}

function pendingStep(me: PageState['me']): string {
  const name = me.name.split(' ')[0];
  if (me.isReleaseManager)
    return `You are ${name}, a release manager: press Approve in #deployments.`;
  return `You are ${name}, who cannot decide. Try it, then switch to Ana or Ben (top right).`;
}

interface Props {
  readonly state: PageState;
  /** The channel that is open. */
  readonly openId: string;
}

/** Who this window is. It is in the address: a second window can be somebody else. */
function PersonSwitch({ state: { me, people }, openId }: Props) {
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

/** The way to be somebody else at the same time: another who may decide, in a window of their own. */
function SecondWindow({ state: { me, people } }: { state: PageState }) {
  const other = people.find(({ id, isReleaseManager }) => isReleaseManager && id !== me.id);
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
