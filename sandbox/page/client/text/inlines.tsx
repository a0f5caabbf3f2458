import { DateWords } from './date-words.tsx';
import { emojiOf } from './emoji.ts';
import { Link } from './link.tsx';
import { Mention } from './mention.tsx';
import type { Inline } from './parse-mrkdwn.ts';

export function Inlines({ inside }: { inside: readonly Inline[] }) {
  return inside.map((inline, place) => <One key={place} inline={inline} />);
}

function One({ inline }: { inline: Inline }) {
  switch (inline.kind) {
    case 'text':
      return inline.text;
    case 'code':
      return <code>{inline.text}</code>;
    case 'break':
      return <br />;
    case 'emoji':
      return emojiOf(inline.name) ?? `:${inline.name}:`;
    case 'bold':
      return (
        <strong>
          <Inlines inside={inline.inside} />
        </strong>
      );
    case 'italic':
      return (
        <em>
          <Inlines inside={inline.inside} />
        </em>
      );
    case 'strike':
      return (
        <s>
          <Inlines inside={inline.inside} />
        </s>
      );
    case 'user':
    case 'group':
    case 'channel':
      return <Mention kind={inline.kind} id={inline.id} label={inline.label} />;
    case 'broadcast':
      return <span class="mention you">@{inline.name}</span>;
    case 'link':
      return <Link href={inline.href}>{inline.label}</Link>;
    case 'date':
      return <DateWords date={inline} />;
  }
}
