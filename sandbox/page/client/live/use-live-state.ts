import { useEffect, useState } from 'preact/hooks';
import type { PageState } from '../../page-state.ts';

interface Live {
  /** null until the first one came. */
  readonly state: PageState | null;
  readonly isConnected: boolean;
}

/** What a person sees, live. The state of the person before is kept until that of the new one is there. */
export function useLiveState(user: string): Live {
  const [state, setState] = useState<PageState | null>(null);
  const [isConnected, setConnected] = useState(true);
  useEffect(() => followState(user, setState, setConnected), [user]);
  return { state, isConnected };
}

const againMs = 1_000;

/**
 * Hears the state of one person after every change, also of a sandbox that was started again at this address.
 * A browser allows six connections to one address: a window that nobody sees gives its own back.
 * Gives what ends it.
 */
function followState(
  user: string,
  tell: (state: PageState) => void,
  tellConnected: (isConnected: boolean) => void,
): () => void {
  let events: EventSource | undefined;
  let timer: number | undefined;

  const open = (): void => {
    close();
    events = new EventSource(`/sandbox/v1/live?user=${encodeURIComponent(user)}`);
    events.onmessage = ({ data }) => {
      tellConnected(true);
      tell(JSON.parse(data));
    };
    events.onerror = ({ target }) => {
      tellConnected(false);
      // A browser tries again by itself, but not after an answer that is no stream of events.
      if (target === events && events?.readyState === EventSource.CLOSED) {
        timer = window.setTimeout(open, againMs);
      }
    };
  };
  const close = (): void => {
    clearTimeout(timer);
    events?.close();
    events = undefined;
  };
  const followSeen = (): void => {
    if (document.visibilityState === 'hidden') close();
    else if (!events) open();
  };

  followSeen();
  document.addEventListener('visibilitychange', followSeen);
  return () => {
    document.removeEventListener('visibilitychange', followSeen);
    close();
  };
}
