import { useEffect, useRef } from 'preact/hooks';
import type { PageState } from '../../page-state.ts';
import { Blocks } from '../blocks/blocks.tsx';
import { SurfaceContext, useNewSurface } from '../elements/surface.ts';
import { askSandbox } from '../live/ask-sandbox.ts';
import { useKeptFocus } from '../parts/focus.ts';
import { Trouble } from '../parts/trouble.tsx';

const place = { surface: 'home' } as const;

/** The app's Home tab for this person. The app is notified each time it is opened. */
export function HomeTab({ state: { me, app, home } }: { state: PageState }) {
  const { surface, shown } = useNewSurface(place, home?.values ?? {});
  const box = useRef<HTMLDivElement>(null);
  useKeptFocus(box);
  useEffect(() => {
    // If the app publishes nothing, the tab says so.
    void askSandbox('open-home', { user: me.id, tab: 'home' });
  }, [me.id]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without a pointer it is scrolled by keys
    <div ref={box} class="home" tabIndex={0}>
      <div class="home-blocks">
        <SurfaceContext.Provider value={surface}>
          {home ? (
            <Blocks blocks={home.blocks} />
          ) : (
            <p class="quiet">{app.name} shows nothing here yet.</p>
          )}
        </SurfaceContext.Provider>
        <Trouble words={shown} />
      </div>
    </div>
  );
}
