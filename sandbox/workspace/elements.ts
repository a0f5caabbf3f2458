import type { Block } from '../wire.ts';

/** An interactive element and the block it stands in. */
export interface Placed {
  readonly block: Block;
  readonly element: Block;
}

/** Elements of blocks in the order they stand: of actions, beside sections, in inputs. */
export function elementsOf(blocks: readonly Block[]): Placed[] {
  return blocks.flatMap((block) => inBlock(block).map((element) => ({ block, element })));
}

function inBlock(block: Block): readonly Block[] {
  // Blocks were checked when they were sent: `elements` of actions, `accessory` and `element` hold elements.
  const { elements, accessory, element } = block as {
    readonly elements?: readonly Block[];
    readonly accessory?: Block;
    readonly element?: Block;
  };
  if (block.type === 'actions') return elements ?? [];
  const one = accessory ?? element;
  return one === undefined ? [] : [one];
}

/** What a person calls the element: the label of a button or of an input, or the placeholder. A menu has dots. */
export function nameOf({ block, element }: Placed): string {
  if (element.type === 'overflow') return 'More actions';
  return wordsOf(element.text) ?? wordsOf(block.label) ?? wordsOf(element.placeholder) ?? '';
}

/** The text of a text object. */
export function wordsOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('text' in value)) return undefined;
  return typeof value.text === 'string' ? value.text : undefined;
}

/** Tells elements of one action id in several blocks apart, and outlives an update that keeps both ids. */
export function keyOf({ block, element }: Placed): string {
  return `${block.block_id} ${element.action_id}`;
}

/** The element of this key or action id, or the one that is called so. */
export function findElement(blocks: readonly Block[], wanted: string): Placed | undefined {
  const all = elementsOf(blocks);
  return (
    all.find((placed) => keyOf(placed) === wanted) ??
    all.find(({ element }) => element.action_id === wanted) ??
    all.find((placed) => nameOf(placed) === wanted)
  );
}
