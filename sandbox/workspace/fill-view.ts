import { checkEntered } from './check-entered.ts';
import type { Entered } from './doings.ts';
import { findElement, keyOf } from './elements.ts';
import { enteredState } from './input-state.ts';
import { modalOf } from './open-views.ts';
import type { OpenView, World } from './world.ts';

/** A person enters something into the modal they have open. The app does not hear of it. */
export function fillView(
  user: string,
  values: Readonly<Record<string, Entered>>,
  world: World,
): void {
  const { view, inputs } = openModal(user, world);
  for (const [wanted, value] of Object.entries(values)) {
    const placed = findElement(view.blocks, wanted);
    if (!placed) throw new Error(`The modal has no input "${wanted}".`);
    const key = keyOf(placed);
    const state = enteredState(placed.element, value, inputs.loaded.get(key));
    checkEntered(state, placed.element, user, world);
    inputs.entered.set(key, state);
  }
}

/** Throws when the person has none open. */
export function openModal(user: string, world: World): OpenView {
  const open = modalOf(world, user);
  if (open === undefined) throw new Error(`${user} has no modal open.`);
  return open;
}
