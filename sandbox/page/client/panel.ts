import { type ComponentType, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { PageState } from '../page-state.ts';

type Drawn = ComponentType<{ state: PageState }>;

/** What another imitation adds to the page. Its state is part of the page's. */
export interface Panel {
  /** A pane beside the messages. */
  readonly Pane: Drawn;
  /** The pane's tab label in a narrow window. */
  readonly words: string;
  readonly selector: string;
  /** The app's picture, everywhere. */
  readonly AppPicture: ComponentType;
  /** In the top bar. */
  readonly Bar: Drawn;
  /** The top of a channel that has at most one message. */
  readonly welcome: { readonly channel: string; readonly Content: ComponentType };
}

/** null: the page shows the workspace only. */
export const PanelContext = createContext<Panel | null>(null);

export function usePanel(): Panel | null {
  return useContext(PanelContext);
}
