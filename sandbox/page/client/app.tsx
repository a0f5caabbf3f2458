import { AwayLine } from './live/away-line.tsx';
import { useLiveState } from './live/use-live-state.ts';
import { GoContext } from './place/go.ts';
import { usePlace } from './place/use-place.ts';
import { ReaderContext } from './text/reader.ts';
import { Workspace } from './workspace.tsx';

/** The whole page. */
export function App() {
  const [place, go] = usePlace();
  const { state, isConnected } = useLiveState(place.as);
  if (!state) return <AwayLine isConnected={isConnected} isFirst />;
  const { names, people } = state;
  const channels = state.channels.filter(({ kind }) => kind !== 'app');
  const reader = { ...state.me, names, people, channels };
  return (
    <GoContext.Provider value={go}>
      <ReaderContext.Provider value={reader}>
        <AwayLine isConnected={isConnected} />
        <Workspace state={state} place={place} />
      </ReaderContext.Provider>
    </GoContext.Provider>
  );
}
