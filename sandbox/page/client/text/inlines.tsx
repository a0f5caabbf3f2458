import type { ComponentChildren } from 'preact';
import { addressOf } from '../place/place.ts';
import { useGo } from '../place/use-place.ts';
import { dateText } from './date-text.ts';
import { emojiOf } from './emoji.ts';
import type { DateInline, Inline } from './parse-mrkdwn.ts';
import { useReader } from './reader.ts';
import { placeBehind, webAddress } from './web-address.ts';

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

interface Props {
  readonly kind: 'user' | 'channel' | 'group';
  readonly id: string;
  readonly label: string;
}

/** A mention of a person, a user group or a channel. */
function Mention({ kind, id, label }: Props) {
  const reader = useReader();
  const name = reader.names[id] ?? (label.replace(/^[@#]/, '') || id);
  const mark = kind === 'channel' ? '#' : '@';
  return <span class={id === reader.id ? 'mention you' : 'mention'}>{mark + name}</span>;
}

/** A link. One into this workspace navigates this window; anything that is not a web address is shown as text. */
function Link({ href, children }: { href: string; children: ComponentChildren }) {
  const go = useGo();
  const { id } = useReader();
  const url = webAddress(href);
  if (!url) return <span>{children}</span>;
  const place = placeBehind(url, location.port);
  if (!place) {
    return (
      <a href={href} target="_blank" rel="noreferrer">
        {children}
      </a>
    );
  }
  const { channel, message, thread } = place;
  const jump = (event: MouseEvent): void => {
    // Opens a new window or tab, which keeps the same person.
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    go({ channel, message, thread, isHome: false });
  };
  return (
    <a href={addressOf({ ...place, as: id })} onClick={jump}>
      {children}
    </a>
  );
}

/** A time in the reader's own zone. */
function DateWords({ date }: { date: DateInline }) {
  const { timeZone } = useReader();
  const at = date.seconds * 1000;
  if (Number.isNaN(new Date(at).getTime())) return date.fallback;
  const words = (
    <time dateTime={new Date(at).toISOString()}>
      {dateText(date.form, at, timeZone, Date.now())}
    </time>
  );
  return date.href ? <Link href={date.href}>{words}</Link> : words;
}
