import type { SectionBlock as Section } from '@slack/types';
import { Element } from '../elements/element.tsx';
import { Text } from '../text/text-object.tsx';
import { BlockId } from './block-id.ts';

export function SectionBlock({
  block: { block_id = '', text, fields, accessory },
}: {
  block: Section;
}) {
  return (
    <BlockId.Provider value={block_id}>
      <div class="section">
        <div class="section-text">
          {text && <Text of={text} />}
          {fields && (
            <div class="fields">
              {fields.map((field, place) => (
                <div key={place}>
                  <Text of={field} />
                </div>
              ))}
            </div>
          )}
        </div>
        {accessory && (
          <div class="accessory">
            <Element element={accessory} />
          </div>
        )}
      </div>
    </BlockId.Provider>
  );
}
