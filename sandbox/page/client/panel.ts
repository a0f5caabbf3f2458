import { type ComponentType, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { PageState } from '../page-state.ts';

type Drawn = ComponentType<{ state: PageState }>;

/** What another imitation draws on the page. Its state comes with that of the page. */
export interface Panel {
  /** A pane beside the messages. */
  readonly Pane: Drawn;
  /** What the pane is called, and found by, in a narrow window. */
  readonly words: string;
  readonly selector: string;
  /** Of the app, wherever it is shown. */
  readonly AppPicture: ComponentType;
  /** In the top bar. */
  readonly Bar: Drawn;
  /** What a channel begins with while it has one message at most. */
  readonly welcome: { readonly channel: string; readonly Content: ComponentType };
}

/** null: the page is the workspace alone. */
export const PanelContext = createContext<Panel | null>(null);

export function usePanel(): Panel | null {
  return useContext(PanelContext);
}
