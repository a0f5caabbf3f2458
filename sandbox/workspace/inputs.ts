import type { Block } from '../wire.ts';
import { elementsOf, keyOf, type Placed } from './elements.ts';
import { type ElementState, initialState } from './input-state.ts';
import type { Inputs } from './world.ts';

/** Nobody entered anything yet. */
export function noInputs(): Inputs {
  return { entered: new Map(), loaded: new Map() };
}

/** What the element holds; undefined for one that holds nothing. */
export function heldIn(placed: Placed, { entered }: Inputs): ElementState | undefined {
  const known = entered.get(keyOf(placed));
  return known?.type === placed.element.type ? known : initialState(placed.element);
}

/** `state.values` of blocks: what every input holds, by block id and action id. */
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
 * What is left of inputs when other blocks take the place of theirs: an element that stands under the same
 * ids holds what it held, also what it began with; a new beginning needs new ids.
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
