import type { PlainTextOption } from '@slack/types';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { BlockId } from '../blocks/block-id.ts';
import { type Held, heldAtFirst } from './held.ts';

/** Where elements stand: a message, a modal, a home tab. It takes what a person does with them to the bot. */
export interface Surface {
  /** A press, which takes as long as the bot takes to acknowledge it. */
  readonly press: (key: string) => Promise<void>;
  /** Keeps what a person enters, here alone. */
  readonly hold: (key: string, held: Held) => void;
  /** Keeps it, and tells the workspace, which tells the bot where it asked to be told. */
  readonly choose: (key: string, held: Held, type: string) => Promise<void>;
  /** Options of an external select; null when the bot did not give any. */
  readonly suggest: (key: string, typed: string) => Promise<readonly OfferedOption[] | null>;
  /** What an input holds: what was entered here, or what the workspace knows; undefined when neither is. */
  readonly held: (key: string) => Held | undefined;
  /** Elements that the bot has not acknowledged yet. */
  readonly working: ReadonlySet<string>;
}

export type OfferedOption = PlainTextOption & { readonly value: string };

/** A surface on which nothing can be done. */
const nowhere: Surface = {
  press: async () => {},
  hold: () => {},
  choose: async () => {},
  suggest: async () => null,
  held: () => undefined,
  working: new Set(),
};

export const SurfaceContext = createContext(nowhere);

/** The surface around an element, and the key of the element on it. */
export function useSurface(element: { readonly action_id?: string }) {
  const key = elementKey(useContext(BlockId), element.action_id);
  const surface = useContext(SurfaceContext);
  const held = surface.held(key) ?? heldAtFirst(element);
  return { surface, key, isWorking: surface.working.has(key), held };
}

export function elementKey(blockId: string | undefined, actionId: string | undefined): string {
  return `${blockId} ${actionId}`;
}
