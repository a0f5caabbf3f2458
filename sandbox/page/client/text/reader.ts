import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { PageChannel } from '../../page-state.ts';

/** The person who reads, and what they know. */
export interface Reader {
  readonly id: string;
  readonly timeZone: string;
  /** Names by id, without `@` or `#`. */
  readonly names: Readonly<Record<string, string>>;
  readonly app: { readonly id: string; readonly name: string };
  /** Everybody who can be chosen. */
  readonly people: readonly { readonly id: string; readonly name: string }[];
  /** The same, plus the app. */
  readonly mentionable: readonly { readonly id: string; readonly name: string }[];
  /** Channels the reader is in. */
  readonly channels: readonly Pick<PageChannel, 'id' | 'name' | 'kind'>[];
}

export const ReaderContext = createContext<Reader>({
  id: '',
  timeZone: 'UTC',
  app: { id: '', name: '' },
  names: {},
  people: [],
  mentionable: [],
  channels: [],
});

export function useReader(): Reader {
  return useContext(ReaderContext);
}
