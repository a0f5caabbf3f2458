import type { ActionsBlock as Actions } from '@slack/types';
import { Element } from '../elements/element.tsx';
import { BlockId } from './block-id.ts';

export function ActionsBlock({ block: { block_id = '', elements } }: { block: Actions }) {
  return (
    <BlockId.Provider value={block_id}>
      <div class="actions">
        {elements.map((element, place) => (
          <Element key={element.action_id ?? place} element={element} />
        ))}
      </div>
    </BlockId.Provider>
  );
}
