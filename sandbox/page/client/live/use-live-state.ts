import { useEffect, useState } from 'preact/hooks';
import type { PageState } from '../../page-state.ts';
import { followState } from './follow-state.ts';

export interface Live {
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
