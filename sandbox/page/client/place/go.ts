import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Go } from './use-place.ts';

export const GoContext = createContext<Go>(() => {});

export function useGo(): Go {
  return useContext(GoContext);
}
