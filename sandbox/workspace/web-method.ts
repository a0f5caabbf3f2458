import type { Args } from './args.ts';
import type { Events } from './events.ts';
import type { Manifest } from './manifest.ts';
import type { PostPacer } from './post-pacer.ts';
import type { World } from './world.ts';

/** Dependencies of a method. */
export interface MethodWorld {
  readonly world: World;
  readonly now: () => number;
  readonly url: string;
  readonly manifest: Manifest;
  readonly pacer: PostPacer;
  /** Sends the app an event about what it did itself. */
  readonly tell: Events['tell'];
  /** Throws `missing_scope` unless it was granted. */
  readonly needScope: (scope: string) => void;
  readonly hasScope: (scope: string) => boolean;
  /** For the sandbox's log: something was accepted without effect. */
  readonly note: (words: string) => void;
  /** Does something later, unless the sandbox is reset or closed before. */
  readonly later: (ms: number, work: () => void) => void;
  /** An address for one Socket Mode connection. */
  readonly newSocketUrl: () => string;
}

/**
 * One method of the Web API. Its lists are complete: an unlisted argument is refused, so that none is ignored silently,
 * and an unlisted error is a fault of the sandbox.
 */
export interface WebMethod {
  /** `app`: it takes the app-level token instead of the bot's. */
  readonly token?: 'app';
  readonly scope?: string;
  readonly required?: readonly string[];
  /** Required ones whose text can be empty. */
  readonly mayBeEmpty?: readonly string[];
  /** Accepted arguments that are not required. */
  readonly optional?: readonly string[];
  /** Accepted arguments without effect here; the log names them. */
  readonly ignored?: readonly string[];
  /** It only tests the connection: it needs no token, takes any argument, and returns the error it is told. */
  readonly isTest?: true;
  /** Its result belongs to one workspace: it accepts `team_id`, and requires it with the token of an organization. */
  readonly ofTeam?: true;
  /** Its errors in addition to `anyError`. */
  readonly errors?: readonly string[];
  /** Returns the members next to `ok: true`, or throws a `Refusal`. */
  readonly run: (args: Args, at: MethodWorld) => Readonly<Record<string, unknown>>;
}

export type WebMethods = Readonly<Record<string, WebMethod>>;

/** Errors of every method. */
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
