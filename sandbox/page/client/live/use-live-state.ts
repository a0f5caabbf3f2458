import { useEffect, useState } from 'preact/hooks';
import type { PageState } from '../../page-state.ts';

interface Live {
  /** null until the first one arrives. */
  readonly state: PageState | null;
  readonly isConnected: boolean;
}

/** One person's live state. The previous person's state is kept until the new one arrives. */
export function useLiveState(user: string): Live {
  const [state, setState] = useState<PageState | null>(null);
  const [isConnected, setConnected] = useState(true);
  useEffect(() => followState(user, setState, setConnected), [user]);
  return { state, isConnected };
}

const againMs = 1_000;

/**
 * Receives one person's state after every change, also when the sandbox is restarted at this address. A browser allows
 * six connections to one address, so a hidden window closes its own. Returns the function that ends it.
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
      // A browser reconnects by itself, but not after an answer that is not an event stream.
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
