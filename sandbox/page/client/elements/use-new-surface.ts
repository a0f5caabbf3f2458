import { useRef, useState } from 'preact/hooks';
import type { HeldState } from '../../page-state.ts';
import { type Answered, askSandbox } from '../live/ask-sandbox.ts';
import { useReader } from '../text/reader.ts';
import { enteredOf, type Held, heldIn } from './held.ts';
import { elementKey, type OfferedOption, type Surface } from './surface.ts';

/** A message, or the view before the person. */
export type SurfacePlace =
  | { readonly channel: string; readonly ts: string }
  | { readonly surface: 'modal' | 'home' };

export interface NewSurface {
  readonly surface: Surface;
  /** What Slack says when the bot did not take what a person did. */
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
      // The workspace has checked the options that the bot gave.
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
