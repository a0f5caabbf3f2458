import type { ResponseTarget, Trigger, World } from './world.ts';

const responseLifeMs = 30 * 60_000;

/** Dependencies for letting the app answer an interaction. */
export interface TriggerNeeds {
  readonly world: World;
  readonly url: string;
  readonly now: () => number;
  readonly randomId: () => string;
  /** How long a trigger is valid. */
  readonly patienceMs: number;
}

/** A `trigger_id` for one modal. @param from the view of the action, and the conversation the person looks at. */
export function newTrigger(
  needs: TriggerNeeds,
  user: string,
  from: Pick<Trigger, 'viewId' | 'channel'> = {},
): string {
  const now = needs.now();
  const id = `${now}.${needs.randomId()}`;
  const trigger = { user, expiresAt: now + needs.patienceMs, used: false };
  needs.world.triggers.set(id, { ...trigger, ...from });
  return id;
}

/** A `response_url`, valid for half an hour. */
export function newResponseUrl(
  needs: TriggerNeeds,
  target: Pick<ResponseTarget, 'user' | 'channel' | 'ts'>,
): string {
  const id = needs.randomId();
  const expiresAt = needs.now() + responseLifeMs;
  needs.world.responses.set(id, { ...target, expiresAt, uses: 0 });
  return `${needs.url}/slack/response/${id}`;
}
