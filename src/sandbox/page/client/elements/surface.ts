import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** Where elements stand: a message, a modal, a home tab. It takes what a person does with them to the bot. */
export interface Surface {
  /** A press, which takes as long as the bot takes to acknowledge it. */
  readonly press: (element: ElementIds) => Promise<void>;
  /** Elements that the bot has not acknowledged yet, by `elementKey`. */
  readonly working: ReadonlySet<string>;
}

export interface ElementIds {
  readonly blockId: string;
  readonly actionId: string;
}

export function elementKey({ blockId, actionId }: ElementIds): string {
  return `${blockId} ${actionId}`;
}

export const SurfaceContext = createContext<Surface>({
  press: async () => {},
  working: new Set(),
});

export function useSurface(): Surface {
  return useContext(SurfaceContext);
}
