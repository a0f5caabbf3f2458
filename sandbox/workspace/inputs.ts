import type { Block } from '../wire.ts';
import { elementsOf, keyOf, type Placed } from './elements.ts';
import { type ElementState, initialState } from './input-state.ts';
import type { Inputs } from './world.ts';

/** Nobody entered anything yet. */
export function noInputs(): Inputs {
  return { entered: new Map(), loaded: new Map() };
}

/** The value of the element; undefined for one without a value. */
export function heldIn(placed: Placed, { entered }: Inputs): ElementState | undefined {
  const known = entered.get(keyOf(placed));
  return known?.type === placed.element.type ? known : initialState(placed.element);
}

/** `state.values` of blocks: the value of every input, by block id and action id. */
export function stateValues(
  blocks: readonly Block[],
  inputs: Inputs,
): Record<string, Record<string, ElementState>> {
  const values: Record<string, Record<string, ElementState>> = {};
  for (const placed of elementsOf(blocks)) {
    const { block, element } = placed;
    const state = heldIn(placed, inputs);
    if (!state) continue;
    const inBlock = values[String(block.block_id)] ?? {};
    values[String(block.block_id)] = { ...inBlock, [String(element.action_id)]: state };
  }
  return values;
}

/**
 * The inputs after an update of the blocks: an element with the same ids keeps its value, including its initial one; a
 * new initial value needs new ids.
 */
export function inputsAfter(
  inputs: Inputs,
  before: readonly Block[],
  after: readonly Block[],
): Inputs {
  const entered = new Map<string, ElementState>();
  const loaded = new Map<string, readonly unknown[]>();
  const stays = new Map(elementsOf(after).map((placed) => [keyOf(placed), placed.element.type]));
  for (const placed of elementsOf(before)) {
    const key = keyOf(placed);
    if (stays.get(key) !== placed.element.type) continue;
    const state = heldIn(placed, inputs);
    if (state) entered.set(key, state);
    const options = inputs.loaded.get(key);
    if (options) loaded.set(key, options);
  }
  return { entered, loaded };
}
