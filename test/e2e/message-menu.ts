import { expect } from 'vitest';
import { DEPLOYS } from '../support/world.ts';
import { modalText } from './move-stage.ts';
import type { Stage } from './stage.ts';

const MENU = 'approvals.menu';

/** Chooses in the menu of a message, and waits until what was chosen is there. */
export async function open(stage: Stage, user: string, ts: string, value: string): Promise<string> {
  const { workspace } = stage.sandbox;
  await workspace.closeModal({ user }).catch(() => {});
  const place = { user, channel: DEPLOYS, ts };
  const delivery = await workspace.choose({ ...place, input: MENU, value });
  expect(delivery).toMatchObject({ acknowledged: true });
  return stage.sandbox.until(
    () => {
      const text = modalText(workspace.modal(user));
      return ['Loading…', '(no modal)'].includes(text) ? undefined : text;
    },
    { what: 'the modal' },
  );
}
