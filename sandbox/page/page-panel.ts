import type { Answer } from '../exchange.ts';
import type { User } from '../wire.ts';

/** What a window can do, by the path it posts to. */
export type BoundMethods = Readonly<Record<string, (body: unknown) => Promise<Answer>>>;

/** What another imitation adds to the page of the workspace. */
export interface PagePanel {
  /** The browser program, which draws the page and the panel. */
  readonly client: URL;
  /** Sent to every window with the state of the page. */
  readonly state: () => object;
  /** Special facts about a person, each as text. */
  readonly notesOn: (user: User) => readonly string[];
  /** Methods in addition to the page's; one with the same name replaces it. */
  readonly methods: BoundMethods;
  /** Plain texts of the page, by path; undefined: there is none now. */
  readonly texts?: Readonly<Record<string, () => Promise<string | undefined>>>;
  /** Discards the state from before a reset. */
  readonly reset: () => void;
}
