import type {
  RichTextBlock as Rich,
  RichTextElement,
  RichTextList,
  RichTextPreformatted,
  RichTextQuote,
  RichTextSection,
} from '@slack/types';
import { Inlines } from '../text/inlines.tsx';
import type { Inline } from '../text/parse-mrkdwn.ts';

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

/** A rich-text element as its mrkdwn equivalent. */
function inlineOfRich(element: RichTextElement): Inline {
  const { bold, italic, strike, code } = element.style ?? {};
  if (code && 'text' in element) return { kind: 'code', text: element.text ?? '' };
  let inline = plainInline(element);
  if (bold) inline = { kind: 'bold', inside: [inline] };
  if (italic) inline = { kind: 'italic', inside: [inline] };
  if (strike) inline = { kind: 'strike', inside: [inline] };
  return inline;
}

function plainInline(element: RichTextElement): Inline {
  switch (element.type) {
    case 'text':
      return { kind: 'text', text: element.text };
    case 'link':
      return { kind: 'link', href: element.url, label: element.text ?? element.url };
    case 'user':
      return { kind: 'user', id: element.user_id, label: '' };
    case 'usergroup':
      return { kind: 'group', id: element.usergroup_id, label: '' };
    case 'channel':
      return { kind: 'channel', id: element.channel_id, label: '' };
    case 'broadcast':
      return { kind: 'broadcast', name: element.range };
    case 'emoji':
      return { kind: 'emoji', name: element.name };
    case 'color':
      return { kind: 'code', text: element.value };
    case 'team':
      return { kind: 'text', text: element.team_id };
    case 'date': {
      const { timestamp: seconds, format: form, url: href = '', fallback = '' } = element;
      return { kind: 'date', seconds, form, href, fallback };
    }
  }
}
