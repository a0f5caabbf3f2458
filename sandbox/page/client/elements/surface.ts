import type { PlainTextOption } from '@slack/types';
import { createContext } from 'preact';
import { useContext, useRef, useState } from 'preact/hooks';
import type { HeldState } from '../../page-state.ts';
import { type Answered, askSandbox } from '../live/ask-sandbox.ts';
import { useReader } from '../text/reader.ts';
import { enteredOf, type Held, heldAtFirst, heldIn } from './held.ts';

/** Where elements stand: a message, a modal, a home tab. It takes what a person does with them to the app. */
interface Surface {
  /** A press, which takes as long as the app takes to acknowledge it. */
  readonly press: (key: string) => Promise<void>;
  /** Keeps what a person enters, here alone. */
  readonly hold: (key: string, held: Held) => void;
  /** Keeps it, and tells the workspace, which tells the app where it asked to be told. */
  readonly choose: (key: string, held: Held, type: string) => Promise<void>;
  /** Options of an external select; null when the app did not give any. */
  readonly suggest: (key: string, typed: string) => Promise<readonly OfferedOption[] | null>;
  /** What an input holds: what was entered here, or what the workspace knows; undefined when neither is. */
  readonly held: (key: string) => Held | undefined;
  /** Elements that the app has not acknowledged yet. */
  readonly working: ReadonlySet<string>;
}

type OfferedOption = PlainTextOption & { readonly value: string };

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

/** Id of the block around an element. */
export const BlockId = createContext('');

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

/** A message, or the view before the person. */
type SurfacePlace =
  | { readonly channel: string; readonly ts: string }
  | { readonly surface: 'modal' | 'home' };

interface NewSurface {
  readonly surface: Surface;
  /** What Slack says when the app did not take what a person did. */
  readonly shown: string | null;
  /** What was entered here, by the key of its element. */
  readonly drafts: ReadonlyMap<string, Held>;
  /** Ends when all that was entered has reached the workspace. */
  readonly settled: () => Promise<void>;
}

/** @param values what the workspace knows that inputs hold, by block id and action id */
export function useNewSurface(
  place: SurfacePlace,
  values: Readonly<Record<string, Readonly<Record<string, HeldState>>>>,
): NewSurface {
  const { id: user } = useReader();
  const [shown, setShown] = useState<string | null>(null);
  const [working, setWorking] = useState<ReadonlySet<string>>(new Set());
  const [drafts, setDrafts] = useState<ReadonlyMap<string, Held>>(new Map());
  // One after the other: what is entered arrives in the order in which it was.
  const line = useRef<Promise<unknown>>(Promise.resolve());

  const work = async (key: string, asked: Promise<Answered>): Promise<void> => {
    setShown(null);
    setWorking((before) => new Set([...before, key]));
    const given = await asked;
    setWorking((before) => new Set([...before].filter((each) => each !== key)));
    setShown(given.ok ? wordsOf(given.body.shown) : given.error);
  };
  const afterOthers = (method: string, body: object): Promise<Answered> =>
    line.current.then(() => askSandbox(method, { user, place, ...body }));
  const hold = (key: string, held: Held): void =>
    setDrafts((before) => new Map([...before, [key, held]]));

  const surface: Surface = {
    working,
    held: (key) => drafts.get(key) ?? stateAt(values, key),
    hold,
    press: (key) => work(key, afterOthers('press', { actionId: key })),
    choose: (key, held, type) => {
      hold(key, held);
      const asked = afterOthers('choose', { input: key, value: enteredOf(held, type) });
      line.current = asked;
      return work(key, asked);
    },
    suggest: async (input, typed) => {
      const given = await askSandbox('suggest', { user, place, input, typed });
      if (!given.ok || given.body.shown !== null) return null;
      // The workspace has checked the options that the app gave.
      return given.body.options as OfferedOption[];
    },
  };
  return { surface, shown, drafts, settled: async () => void (await line.current) };
}

function stateAt(values: Parameters<typeof useNewSurface>[1], key: string): Held | undefined {
  for (const [blockId, states] of Object.entries(values)) {
    for (const [actionId, state] of Object.entries(states)) {
      if (elementKey(blockId, actionId) === key) return heldIn(state);
    }
  }
  return undefined;
}

function wordsOf(shown: unknown): string | null {
  return typeof shown === 'string' ? shown : null;
}
