import type {
  RichTextBlock as Rich,
  RichTextElement,
  RichTextList,
  RichTextPreformatted,
  RichTextQuote,
  RichTextSection,
} from '@slack/types';
import { inlineOfRich } from '../text/inline-of-rich.ts';
import { Inlines } from '../text/inlines.tsx';

type Part = RichTextSection | RichTextList | RichTextQuote | RichTextPreformatted;

export function RichTextBlock({ block: { elements } }: { block: Rich }) {
  return (
    <div class="rich-text">
      {elements.map((part, place) => (
        <OnePart key={place} part={part} />
      ))}
    </div>
  );
}

function OnePart({ part }: { part: Part }) {
  switch (part.type) {
    case 'rich_text_section':
      return (
        <p>
          <Words of={part.elements} />
        </p>
      );
    case 'rich_text_quote':
      return (
        <blockquote>
          <Words of={part.elements} />
        </blockquote>
      );
    case 'rich_text_preformatted':
      return (
        <pre>
          <Words of={part.elements} />
        </pre>
      );
    case 'rich_text_list':
      return <List of={part} />;
  }
}

function List({ of: { style, indent = 0, elements } }: { of: RichTextList }) {
  const items = elements.map((item, place) => (
    <li key={place}>
      <Words of={item.elements} />
    </li>
  ));
  const depth = `indent-${Math.min(indent, 4)}`;
  return style === 'ordered' ? <ol class={depth}>{items}</ol> : <ul class={depth}>{items}</ul>;
}

function Words({ of }: { of: readonly RichTextElement[] }) {
  return <Inlines inside={of.map(inlineOfRich)} />;
}
