import type { Args } from './args.ts';
import type { PostPacer } from './post-pacer.ts';
import type { World } from './world.ts';

/** What a method may look at and change. */
export interface MethodWorld {
  readonly world: World;
  readonly now: () => number;
  readonly url: string;
  readonly pacer: PostPacer;
  /** Throws `missing_scope` unless it was granted. */
  readonly needScope: (scope: string) => void;
  readonly hasScope: (scope: string) => boolean;
  /** An address for one connection in Socket Mode. */
  readonly newSocketUrl: () => string;
}

/** One method of the Web API. `run` gives the members beside `ok: true`, or throws a `Refusal`. */
export interface WebMethod {
  /** `app`: it takes the app's own token instead of the bot's. */
  readonly token?: 'app';
  readonly scope?: string;
  readonly required?: readonly string[];
  readonly run: (args: Args, at: MethodWorld) => Readonly<Record<string, unknown>>;
}

export type WebMethods = Readonly<Record<string, WebMethod>>;
