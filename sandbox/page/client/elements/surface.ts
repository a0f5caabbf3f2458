import type { PlainTextOption } from '@slack/types';
import { createContext } from 'preact';
import { useContext, useRef, useState } from 'preact/hooks';
import type { HeldState } from '../../page-state.ts';
import { type Answered, askSandbox } from '../live/ask-sandbox.ts';
import { useReader } from '../text/reader.ts';
import { enteredOf, type Held, heldAtFirst, heldIn } from './held.ts';

/** What elements are on: a message, a modal, a Home tab. It sends a person's actions to the app. */
interface Surface {
  /** A press; resolves when the app has acknowledged it. */
  readonly press: (key: string, label?: string) => Promise<void>;
  /** Keeps an entered value in this window only. */
  readonly hold: (key: string, held: Held) => void;
  /** Keeps it and tells the workspace, which notifies the app if the input asks for that. */
  readonly choose: (key: string, held: Held, type: string) => Promise<void>;
  /** Options of an external select; null if the app did not supply any. */
  readonly suggest: (key: string, typed: string) => Promise<readonly OfferedOption[] | null>;
  /** The value of an input: entered here, or known to the workspace; undefined if neither. */
  readonly held: (key: string) => Held | undefined;
  /** Elements whose action the app has not acknowledged yet. */
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

/** A message, or the view the person has open. */
type SurfacePlace =
  | { readonly channel: string; readonly ts: string }
  | { readonly surface: 'modal' | 'home' };

interface NewSurface {
  readonly surface: Surface;
  /** Slack's error if the app did not handle an action. */
  readonly shown: string | null;
  /** Values entered here, by the key of their element. */
  readonly drafts: ReadonlyMap<string, Held>;
  /** Resolves when all entered values have reached the workspace. */
  readonly settled: () => Promise<void>;
}

/** @param values the values of inputs known to the workspace, by block id and action id */
export function useNewSurface(
  place: SurfacePlace,
  values: Readonly<Record<string, Readonly<Record<string, HeldState>>>>,
): NewSurface {
  const { id: user } = useReader();
  const [shown, setShown] = useState<string | null>(null);
  const [working, setWorking] = useState<ReadonlySet<string>>(new Set());
  const [drafts, setDrafts] = useState<ReadonlyMap<string, Held>>(new Map());
  // One after the other, so that values arrive in the order they were entered.
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
    press: (key, label) => work(key, afterOthers('press', { actionId: key, label })),
    choose: (key, held, type) => {
      hold(key, held);
      const asked = afterOthers('choose', { input: key, value: enteredOf(held, type) });
      line.current = asked;
      return work(key, asked);
    },
    suggest: async (input, typed) => {
      const given = await askSandbox('suggest', { user, place, input, typed });
      if (!given.ok || given.body.shown !== null) return null;
      // The workspace has validated the options that the app supplied.
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
