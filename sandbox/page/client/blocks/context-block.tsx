import type { ContextBlock as Context } from '@slack/types';
import { Picture } from '../parts/picture.tsx';
import { Text } from '../text/text-object.tsx';

/** Small print. */
export function ContextBlock({ block: { elements } }: { block: Context }) {
  return (
    <div class="context">
      {elements.map((element, place) =>
        element.type === 'image' ? (
          <Picture key={place} image={element} isSmall />
        ) : (
          <Text key={place} of={element} />
        ),
      )}
    </div>
  );
}
