import type { Block } from '../wire.ts';

/** An interactive element and its block. */
export interface Placed {
  readonly block: Block;
  readonly element: Block;
}

/** Elements of blocks in their order: of actions, sections and inputs. */
export function elementsOf(blocks: readonly Block[]): Placed[] {
  return blocks.flatMap((block) => inBlock(block).map((element) => ({ block, element })));
}

function inBlock(block: Block): readonly Block[] {
  // Blocks were validated when they were sent: `elements` of actions, `accessory` and `element` hold elements.
  const { elements, accessory, element } = block as {
    readonly elements?: readonly Block[];
    readonly accessory?: Block;
    readonly element?: Block;
  };
  if (block.type === 'actions') return elements ?? [];
  const one = accessory ?? element;
  return one === undefined ? [] : [one];
}

/**
 * What a person calls the element: the label of a button or an input, or the placeholder. An overflow menu is called
 * “More actions”.
 */
export function nameOf({ block, element }: Placed): string {
  if (element.type === 'overflow') return 'More actions';
  return wordsOf(element.text) ?? wordsOf(block.label) ?? wordsOf(element.placeholder) ?? '';
}

/** The text of a text object. */
export function wordsOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('text' in value)) return undefined;
  return typeof value.text === 'string' ? value.text : undefined;
}

/** Distinguishes elements with the same action id in several blocks; unchanged by an update that keeps both ids. */
export function keyOf({ block, element }: Placed): string {
  return `${block.block_id} ${element.action_id}`;
}

/** The element with this key or action id, or with this name. */
export function findElement(blocks: readonly Block[], wanted: string): Placed | undefined {
  const all = elementsOf(blocks);
  return (
    all.find((placed) => keyOf(placed) === wanted) ??
    all.find(({ element }) => element.action_id === wanted) ??
    all.find((placed) => nameOf(placed) === wanted)
  );
}
