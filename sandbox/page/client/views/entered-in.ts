import type { Block } from '../../../wire.ts';
import { type Entered, enteredOf, type Held } from '../elements/held.ts';
import { elementKey } from '../elements/surface.ts';

interface Placed {
  readonly key: string;
  readonly type: string;
}

/** What was entered, of inputs that are still there: an update may have taken some away. */
export function enteredIn(
  blocks: readonly Block[],
  drafts: ReadonlyMap<string, Held>,
): Record<string, Entered> {
  const entries = blocks.flatMap(elementsIn).flatMap(({ key, type }) => {
    const held = drafts.get(key);
    return held === undefined || type === 'overflow' ? [] : [[key, enteredOf(held, type)] as const];
  });
  return Object.fromEntries(entries);
}

function elementsIn(block: Block): Placed[] {
  // The workspace checked every block before it kept it: these members hold elements.
  const {
    elements = [],
    accessory,
    element,
  } = block as {
    elements?: readonly Block[];
    accessory?: Block;
    element?: Block;
  };
  return [...elements, accessory, element].flatMap((each) =>
    each === undefined || typeof each.action_id !== 'string'
      ? []
      : [{ key: elementKey(block.block_id, each.action_id), type: each.type }],
  );
}
