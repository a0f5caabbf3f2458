import type { Listeners } from '../../src/core/slack/listeners.ts';
import { click, startStage } from '../core/slack/slack-stage.ts';

export interface Press {
  readonly user: string;
  readonly action: string;
  readonly value: string;
  /** The modal that contains it. */
  readonly view?: object;
}

/**
 * Presses a button. Returns what happened, in order: what the feature noted in `happened`, when the press was
 * acknowledged, and how its listener ended.
 */
export async function pressButton(
  listen: (app: Listeners) => void,
  { user, action, value, view }: Press,
  happened: string[],
): Promise<readonly string[]> {
  await using stage = await startStage((_, listeners) => listen(listeners));
  await stage.app.init();
  const body = {
    ...click(action, undefined),
    user: { id: user, team_id: 'T1' },
    trigger_id: 't',
    actions: [{ type: 'button', action_id: action, value }],
    ...(view !== undefined && { view }),
  };
  const ack = async () => void happened.push('acknowledged');
  const pressed = stage.app.listeners.press({ body, ack }) ?? Promise.reject(new Error('nobody'));
  const ended = await pressed.then(
    () => 'done',
    () => 'failed',
  );
  return [...happened, ended];
}
