import type { KnownBlock } from '@slack/types';
import type { Block } from '../../../wire.ts';
import { withEmoji } from '../text/emoji.ts';
import { ActionsBlock } from './actions-block.tsx';
import { ContextBlock } from './context-block.tsx';
import { ImageBlock } from './image-block.tsx';
import { InputBlock } from './input-block.tsx';
import { RichTextBlock } from './rich-text-block.tsx';
import { SectionBlock } from './section-block.tsx';

/** Every block of a message, a modal or a home tab. */
export function Blocks({ blocks }: { blocks: readonly Block[] }) {
  // The workspace checked every block before it kept it.
  const known = blocks as readonly Block[] as readonly KnownBlock[];
  // An input that is another than before begins anew; the rest changes where it stands, and keeps the focus.
  const keyOf = ({ type, block_id }: KnownBlock, place: number) =>
    type === 'input' ? `input ${block_id}` : `${type} ${place}`;
  return known.map((block, place) => <OneBlock key={keyOf(block, place)} block={block} />);
}

function OneBlock({ block }: { block: KnownBlock }) {
  switch (block.type) {
    case 'header':
      return <h3 class="block-header">{withEmoji(block.text.text)}</h3>;
    case 'section':
      return <SectionBlock block={block} />;
    case 'context':
      return <ContextBlock block={block} />;
    case 'actions':
      return <ActionsBlock block={block} />;
    case 'divider':
      return <hr />;
    case 'input':
      return <InputBlock block={block} />;
    case 'image':
      return <ImageBlock block={block} />;
    case 'rich_text':
      return <RichTextBlock block={block} />;
    default:
      return <p class="quiet">(A block “{block.type}” is not drawn here.)</p>;
  }
}
