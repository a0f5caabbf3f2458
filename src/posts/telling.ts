import type { Due } from '../reconcile/first-due.ts';
import type { Failed } from '../reconcile/settled.ts';
import { SHOW_AFTER_MS } from '../slack/show-form.ts';
import type { Posted } from './make-post.ts';
import { duePart, type Part, type PartStep } from './part.ts';

/**
 * How a record tells what becomes of something a person asked for in a modal: in that modal, or by
 * direct message once it is closed, and to a channel. All times are on the store's clock.
 */
export interface Telling {
  readonly createdAt: number;
  /** The modal in which the result is shown; absent: it was closed, or there was none. */
  readonly modal?: string;
  /** The face that the modal shows. */
  readonly shown?: string;
  /** The face that the direct message shows. */
  readonly told?: string;
  /** Trouble with showing the present face. */
  readonly showing?: { readonly tries: number; readonly notBefore: number };
  /** `announcement` in the channel, `result` to the person. */
  readonly parts: readonly Part[];
}

/** Who asked, and in which channel. */
export interface Audience {
  readonly by: string;
  readonly channel: string;
}

/** What the person is shown: two equal faces look the same. */
export interface Face {
  /** `over`: nothing changes any more by itself. */
  readonly state: string;
}

export type ToldPart = 'announcement' | 'result';

/** One thing to do next to tell it. */
export type TellStep<AFace extends Face> =
  /** Show the face in the person's modal. */
  | { readonly kind: 'show'; readonly face: AFace }
  /** Change the direct message to the face. */
  | { readonly kind: 'update'; readonly face: AFace }
  | ToldPartStep<AFace>;

/** A step of the announcement in the channel, or of the direct message with the result. */
export interface ToldPartStep<AFace extends Face> {
  readonly kind: PartStep;
  readonly part: ToldPart;
  readonly face: AFace;
  readonly plannedAt: number;
}

export type TellResult =
  | { readonly kind: 'turn'; readonly waitMs: number }
  | { readonly kind: 'opened'; readonly channel: string }
  | { readonly kind: 'not-found' }
  | { readonly kind: 'done' }
  | Posted
  | Failed;

export function faceKey(face: Face): string {
  return JSON.stringify(face);
}

/** The modal, when it shows another face. */
export function dueShow<AFace extends Face>(
  telling: Telling,
  face: AFace,
  now: number,
): Due<TellStep<AFace>> {
  if (telling.modal === undefined || telling.shown === faceKey(face)) return null;
  const from = Math.max(telling.showing?.notBefore ?? 0, telling.createdAt + SHOW_AFTER_MS);
  return now < from ? from : { kind: 'show', face };
}

/** What acknowledged another press may have covered what the modal shows: it is shown anew behind that. */
export function showAnew<Record extends Telling>(record: Record, now: number): Record {
  const { shown, ...rest } = record;
  const showing = { tries: 0, notBefore: now + SHOW_AFTER_MS };
  return { ...rest, showing } as unknown as Record; // as: without an optional member it is still one of its kind
}

/** Without a modal the person gets the end as a direct message, which then says what holds. */
export function dueResult<AFace extends Face>(
  telling: Telling,
  audience: Audience,
  face: AFace,
  now: number,
): Due<TellStep<AFace>> {
  if (telling.modal !== undefined) return null;
  const { ts } = partNamed(telling, audience, 'result');
  if (ts === undefined) {
    return face.state === 'over' ? dueToldPart(telling, audience, 'result', face, now) : null;
  }
  if (telling.told === faceKey(face)) return null;
  const from = telling.showing?.notBefore ?? 0;
  return now < from ? from : { kind: 'update', face };
}

export function dueToldPart<AFace extends Face>(
  telling: Telling,
  audience: Audience,
  part: ToldPart,
  face: AFace,
  now: number,
): Due<ToldPartStep<AFace>> {
  const next = duePart(partNamed(telling, audience, part), now);
  if (next === null || typeof next === 'number') return next;
  return { kind: next, part, face, plannedAt: now };
}

/** The part as it is known, or as it begins. */
export function partNamed(
  { parts }: Pick<Telling, 'parts'>,
  { channel }: Audience,
  name: ToldPart,
): Part {
  const known = parts.find((part) => part.name === name);
  return known ?? { name, ...(name === 'announcement' && { channel }) };
}

/** A copy in which one part has changed. */
export function withPart<Record extends Telling>(record: Record, part: Part): Record {
  const others = record.parts.filter(({ name }) => name !== part.name);
  return { ...record, parts: [...others, part] };
}
