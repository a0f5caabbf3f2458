import { useGo } from '../place/go.ts';

/** The bot's own pages. */
export function AppTabs({ isHome }: { isHome: boolean }) {
  const go = useGo();
  const tab = (words: string, isOpen: boolean) => (
    <button
      type="button"
      aria-current={isOpen ? 'page' : undefined}
      onClick={() => go({ isHome: words === 'Home', message: '', thread: '' })}
    >
      {words}
    </button>
  );
  return (
    <nav class="app-tabs" aria-label="Gatepost">
      {tab('Home', isHome)}
      {tab('Messages', !isHome)}
    </nav>
  );
}
