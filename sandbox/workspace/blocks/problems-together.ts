import type { Block } from '../../wire.ts';
import { elementsOf } from '../elements.ts';

/** What is wrong with blocks that are right each by itself. @param root the JSON pointer of the list. */
export function problemsTogether(blocks: readonly Block[], root: string): string[] {
  const focused = elementsOf(blocks).filter(({ element }) => element.focus_on_load === true);
  return [
    ...repeated(blocks.map(({ block_id }) => block_id)).map(
      (index) => `\`block_id\` already exists [json-pointer:${root}/${index}/block_id]`,
    ),
    ...blocks.flatMap((block, index) => repeatedActions(block, `${root}/${index}`)),
    ...(focused.length > 1
      ? [`only one element may have focus_on_load [json-pointer:${root}]`]
      : []),
  ];
}

/** An action_id may stand once in its block. */
function repeatedActions(block: Block, pointer: string): string[] {
  const ids = elementsOf([block]).map(({ element }) => element.action_id);
  return repeated(ids).map(
    (place) => `\`action_id\` already exists [json-pointer:${pointer}/elements/${place}/action_id]`,
  );
}

/** Places of ids that stood before. */
function repeated(ids: readonly unknown[]): number[] {
  return [...ids.keys()].filter(
    (place) => ids[place] !== undefined && ids.indexOf(ids[place]) < place,
  );
}
