import { characterCount } from '../../src/core/lib/clip.ts';

/** What clients send to the intake (docs/intake.md), which checks it: `approvalRequest` there. */

/** The body of `POST /v1/approvals`. */
export interface ApprovalBody {
  /** The service's one-time token, or `key`: the source's own name for the request. */
  readonly token?: string | undefined;
  readonly key?: string | undefined;
  readonly title?: string | undefined;
  readonly message?: string | undefined;
  readonly route?: string | undefined;
  readonly channel?: string | undefined;
  /** Exactly what is approved. */
  readonly change?: string | undefined;
  /** Of the full text that `change` is the beginning of. */
  readonly cutFrom?: { readonly lines: number; readonly sha256: string } | undefined;
  readonly fields?: Readonly<Record<string, string>> | undefined;
  readonly link?: string | undefined;
  readonly requestedBy?: RequestedBy | undefined;
  readonly reviewers?: ReviewersBody | undefined;
  readonly quorum?: number | undefined;
  readonly need?: readonly NeedBody[] | undefined;
  readonly supersedes?: string | undefined;
  readonly expiresAt?: string | undefined;
}

/** Who asks. `login` stands with the system that it is a login `at`. */
export interface RequestedBy {
  readonly email?: string | undefined;
  readonly slackUser?: string | undefined;
  readonly login?: string | undefined;
  readonly at?: string | undefined;
  readonly name?: string | undefined;
}

interface PeopleBody {
  /** Slack ids. */
  readonly users?: readonly string[] | undefined;
  readonly groups?: readonly string[] | undefined;
}

interface ReviewersBody extends PeopleBody {
  readonly emails?: readonly string[] | undefined;
}

interface NeedBody {
  readonly name: string;
  readonly of: PeopleBody;
  readonly count: number;
}

/** Of a change, in characters (code points). */
export const CHANGE_MAX = 40_000;

/** Why a change is too long, to follow its name; undefined: it is not. */
export function changeFault(text: string): string | undefined {
  // A text has at most as many characters as UTF-16 units, so most texts need no counting.
  const count = text.length <= CHANGE_MAX ? 0 : characterCount(text);
  if (count <= CHANGE_MAX) return undefined;
  return `has ${inWords(count)} characters; ${inWords(CHANGE_MAX)} are possible`;
}

function inWords(count: number): string {
  return count.toLocaleString('en');
}

/**
 * The body of `POST /v1/approvals/{id}/result`. `text`: what to say of it; `until`: when it ends, or is heard of again;
 * `claim`: the name of the run that has it.
 */
export interface Work {
  readonly state: 'running' | 'succeeded' | 'failed';
  readonly text?: string;
  readonly until?: string;
  readonly claim?: string;
}

/** Of a result's text, in characters (code points). */
export const RESULT_TEXT_MAX = 300;
