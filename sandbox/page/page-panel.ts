import type { Answer } from '../exchange.ts';
import type { User } from '../wire.ts';

/** What a window may do, by the path it posts to. */
export type BoundMethods = Readonly<Record<string, (body: unknown) => Promise<Answer>>>;

/** What another imitation adds to the page of the workspace. */
export interface PagePanel {
  /** The program in the browser: it draws the page, and the panel on it. */
  readonly client: URL;
  /** Beside the state of the page, for every window. */
  readonly state: () => object;
  /** What is special about a person there, each as words. */
  readonly notesOn: (user: User) => readonly string[];
  /** What windows post to, besides the methods of the page; one of the same name takes its place. */
  readonly methods: BoundMethods;
  /** Forgets what belonged to the world before. */
  readonly reset: () => void;
}
