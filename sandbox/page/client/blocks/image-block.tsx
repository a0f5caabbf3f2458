import type { ImageBlock as Image } from '@slack/types';
import { Picture } from '../parts/picture.tsx';
import { withEmoji } from '../text/emoji.ts';

export function ImageBlock({ block }: { block: Image }) {
  return (
    <figure>
      {block.title && <figcaption>{withEmoji(block.title.text)}</figcaption>}
      <Picture image={block} />
    </figure>
  );
}
