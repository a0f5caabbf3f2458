import type { ActionArgs, Listeners } from '../../src/core/slack/listeners.ts';
import { click } from '../core/slack/slack-stage.ts';

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
  const body = {
    ...click(action, undefined),
    user: { id: user, team_id: 'T1' },
    trigger_id: 't',
    actions: [{ type: 'button', action_id: action, value }],
    ...(view !== undefined && { view }),
  };
  const ack = async () => void happened.push('acknowledged');
  const actions = new Map<string, (args: ActionArgs) => Promise<void>>();
  const ignore = () => {};
  listen({
    action: (id, listener) => void actions.set(id, listener),
    command: ignore,
    event: ignore,
    options: ignore,
    shortcut: ignore,
    view: ignore,
  });
  const listener = actions.get(action);
  if (listener === undefined) throw new Error(`nobody listens to ${action}`);
  // as: no listener reads more
  const ended = await listener({ body, ack, context: {} } as ActionArgs).then(
    () => 'done',
    () => 'failed',
  );
  return [...happened, ended];
}
