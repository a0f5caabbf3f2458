import { createContext } from 'preact';
import { useCallback, useContext, useEffect, useState } from 'preact/hooks';
import { addressOf, type Place, placeOf } from './place.ts';

/** Changes the current place; the browser's “back” undoes it. */
export type Go = (change: Partial<Place>) => void;

/** Where the window is. Only the address holds it: it survives a reload and can be sent to somebody. */
export function usePlace(): readonly [Place, Go] {
  const [place, setPlace] = useState(here);
  useEffect(() => {
    const moved = (): void => setPlace(here());
    addEventListener('popstate', moved);
    return () => removeEventListener('popstate', moved);
  }, []);
  const go = useCallback<Go>((change) => {
    const next = addressOf({ ...here(), ...change });
    if (next !== addressOf(here())) history.pushState(null, '', next);
    setPlace(here());
  }, []);
  return [place, go];
}

function here(): Place {
  return placeOf(new URL(location.href));
}

export const GoContext = createContext<Go>(() => {});

export function useGo(): Go {
  return useContext(GoContext);
}
