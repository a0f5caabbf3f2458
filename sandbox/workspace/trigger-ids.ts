import type { ResponseTarget, World } from './world.ts';

const responseLifeMs = 30 * 60_000;

/** What is needed to let the app answer an interaction. */
export interface TriggerNeeds {
  readonly world: World;
  readonly url: string;
  readonly now: () => number;
  readonly randomId: () => string;
  /** So long a trigger lives. */
  readonly patienceMs: number;
}

/** A `trigger_id` for one modal. @param viewId the view it was made in, if any. */
export function newTrigger(needs: TriggerNeeds, user: string, viewId?: string): string {
  const now = needs.now();
  const id = `${now}.${needs.randomId()}`;
  const trigger = { user, expiresAt: now + needs.patienceMs, used: false };
  needs.world.triggers.set(id, { ...trigger, ...(viewId !== undefined && { viewId }) });
  return id;
}

/** A `response_url` for half an hour. */
export function newResponseUrl(
  needs: TriggerNeeds,
  target: Pick<ResponseTarget, 'user' | 'channel' | 'ts'>,
): string {
  const id = needs.randomId();
  const expiresAt = needs.now() + responseLifeMs;
  needs.world.responses.set(id, { ...target, expiresAt, uses: 0 });
  return `${needs.url}/slack/response/${id}`;
}
