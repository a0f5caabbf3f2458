import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { useGo } from '../place/use-place.ts';

type Tab = 'home' | 'messages';

interface Props {
  /** The app's name. */
  readonly name: string;
  readonly isHome: boolean;
  /** The open tab. */
  readonly children: ComponentChildren;
}

/** The app's Home and Messages tabs. Arrow keys move between them. */
export function AppTabs({ name, isHome, children }: Props) {
  const go = useGo();
  const list = useRef<HTMLDivElement>(null);
  const open: Tab = isHome ? 'home' : 'messages';
  const other: Tab = isHome ? 'messages' : 'home';
  const show = (tab: Tab): void => go({ isHome: tab === 'home', message: '', thread: '' });
  const onKeyDown = (event: KeyboardEvent): void => {
    const ways: Readonly<Record<string, Tab>> = {
      ArrowLeft: other,
      ArrowRight: other,
      Home: 'home',
      End: 'messages',
    };
    const next = ways[event.key];
    if (next === undefined) return;
    event.preventDefault();
    show(next);
    list.current?.querySelector<HTMLElement>(`#${tabId(next)}`)?.focus();
  };
  const tab = (id: Tab, words: string) => (
    <button
      type="button"
      role="tab"
      id={tabId(id)}
      aria-selected={id === open}
      aria-controls={id === open ? panelId : undefined}
      tabIndex={id === open ? 0 : -1}
      onClick={() => show(id)}
    >
      {words}
    </button>
  );
  return (
    <>
      <div ref={list} class="app-tabs" role="tablist" aria-label={name} onKeyDown={onKeyDown}>
        {tab('home', 'Home')}
        {tab('messages', 'Messages')}
      </div>
      <div id={panelId} class="tab-panel" role="tabpanel" aria-labelledby={tabId(open)}>
        {children}
      </div>
    </>
  );
}

const panelId = 'app-panel';

function tabId(tab: Tab): string {
  return `app-tab-${tab}`;
}
