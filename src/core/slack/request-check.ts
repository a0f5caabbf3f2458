import type { KnownBlock } from '@slack/types';
import type { Listeners } from './listeners.ts';

/** `gatepost doctor --interactive`: a button whose press has to reach the running bot. */

const PRESS = 'doctor.press';
const ID = /^[\w-]{36}$/;

/** The key under which the bot stores, for the doctor, that a press arrived. */
export function pressKey(id: string): string {
  return `doctor:${id}`;
}

export function requestCheckMessage(id: string): { text: string; blocks: KnownBlock[] } {
  const text = 'Gatepost check: press the button to test whether Gatepost receives it.';
  const button = {
    type: 'button',
    action_id: PRESS,
    value: id,
    text: { type: 'plain_text', text: 'It works' },
  } as const;
  return {
    text,
    blocks: [
      { type: 'section', text: { type: 'plain_text', text } },
      { type: 'actions', elements: [button] },
    ],
  };
}

/** `note` stores that the press with this id arrived. */
export function listenToRequestCheck(app: Listeners, note: (key: string) => Promise<void>): void {
  app.action(PRESS, async ({ body, ack }) => {
    const [action] = body.actions;
    const id = action?.type === 'button' ? (action.value ?? '') : '';
    if (ID.test(id)) await note(pressKey(id));
    await ack();
  });
}
