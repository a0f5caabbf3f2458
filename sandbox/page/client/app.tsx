import { useLiveState } from './live/use-live-state.ts';
import { GoContext, usePlace } from './place/use-place.ts';
import { ReaderContext } from './text/reader.ts';
import { Workspace } from './workspace.tsx';

/** The page. */
export function App() {
  const [place, go] = usePlace();
  const { state, isConnected } = useLiveState(place.as);
  if (!state) {
    return (
      <main>
        <h1 class="hidden">Sandbox</h1>
        <AwayLine isConnected={isConnected} isFirst />
      </main>
    );
  }
  const { app, names, people } = state;
  const channels = state.channels.filter(({ kind }) => kind !== 'app');
  const bot = { id: app.id, name: names[app.id] ?? app.name };
  const mentionable = [...people, bot];
  const reader = { ...state.me, app, names, people, mentionable, channels };
  return (
    <GoContext.Provider value={go}>
      <ReaderContext.Provider value={reader}>
        <AwayLine isConnected={isConnected} />
        <Workspace state={state} place={place} />
      </ReaderContext.Provider>
    </GoContext.Provider>
  );
}

interface Props {
  readonly isConnected: boolean;
  /** Nothing has been shown yet. */
  readonly isFirst?: boolean;
}

/** A line shown while there is no connection to the sandbox. */
function AwayLine({ isConnected, isFirst = false }: Props) {
  const away = 'The sandbox does not answer. The page reconnects automatically.';
  const words = isConnected ? (isFirst ? 'Loading…' : '') : away;
  return (
    <p class="away" role="status">
      {words}
    </p>
  );
}
