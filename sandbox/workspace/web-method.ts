import type { Args } from './args.ts';
import type { Events } from './events.ts';
import type { Manifest } from './manifest.ts';
import type { PostPacer } from './post-pacer.ts';
import type { World } from './world.ts';

/** What a method may look at and change. */
export interface MethodWorld {
  readonly world: World;
  readonly now: () => number;
  readonly url: string;
  readonly manifest: Manifest;
  readonly pacer: PostPacer;
  /** Tells the app of what it did itself. */
  readonly tell: Events['tell'];
  /** Throws `missing_scope` unless it was granted. */
  readonly needScope: (scope: string) => void;
  readonly hasScope: (scope: string) => boolean;
  /** An address for one connection in Socket Mode. */
  readonly newSocketUrl: () => string;
}

/**
 * One method of the Web API. What it lists is all it does: another argument is refused, so that none is
 * passed over in silence, and another error is a fault of the sandbox.
 */
export interface WebMethod {
  /** `app`: it takes the app's own token instead of the bot's. */
  readonly token?: 'app';
  readonly scope?: string;
  readonly required?: readonly string[];
  /** What it takes besides those it requires. */
  readonly optional?: readonly string[];
  /** What it gives is of one workspace: it takes `team_id`, and requires it with the token of a whole organization. */
  readonly ofTeam?: true;
  /** What it answers besides `anyError`. */
  readonly errors?: readonly string[];
  /** Gives the members beside `ok: true`, or throws a `Refusal`. */
  readonly run: (args: Args, at: MethodWorld) => Readonly<Record<string, unknown>>;
}

export type WebMethods = Readonly<Record<string, WebMethod>>;

/** What every method may answer. */
export const anyError: readonly string[] = [
  'invalid_arguments',
  'invalid_auth',
  'invalid_json',
  'invalid_post_type',
  'json_not_object',
  'missing_argument',
  'missing_post_type',
  'missing_scope',
  'not_allowed_token_type',
  'not_authed',
  'ratelimited',
  'unknown_method',
];
