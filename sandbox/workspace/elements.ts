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

/** Everything that a person can press: two buttons for a feedback. */
export function pressable(blocks: readonly Block[]): Placed[] {
  const buttons = elementsOf(blocks).filter(({ element }) => element.type === 'button');
  const feedback = blocks.flatMap((block) => {
    // It was validated when it was sent: these are its elements.
    const elements = block.type === 'context_actions' ? (block.elements as Block[]) : [];
    return elements.flatMap(inContext).map((element) => ({ block, element }));
  });
  return [...buttons, ...feedback];
}

function inContext(element: Block): Block[] {
  const { type, action_id, positive_button, negative_button } = element;
  if (type !== 'feedback_buttons') return [element];
  return [positive_button, negative_button].map((button) => ({
    ...(button as object),
    type,
    action_id,
  }));
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
