import { withEmoji } from './emoji.ts';
import { Inlines } from './inlines.tsx';
import { type Passage, parseMrkdwn } from './parse-mrkdwn.ts';

/** Text in Slack's markup. */
export function Mrkdwn({ text }: { text: string }) {
  return parseMrkdwn(text).map((passage, place) => <OnePassage key={place} passage={passage} />);
}

function OnePassage({ passage }: { passage: Passage }) {
  if (passage.kind === 'code') return <pre>{passage.text}</pre>;
  const words = <Inlines inside={passage.inside} />;
  return passage.kind === 'quote' ? <blockquote>{words}</blockquote> : <p>{words}</p>;
}

/** A text object of Block Kit. */
interface TextObject {
  readonly type: string;
  readonly text: string;
  /** For plain text: whether `:emoji:` are replaced. */
  readonly emoji?: boolean;
}

/** A text object, with markup if it is mrkdwn. */
export function Text({ of }: { of: TextObject }) {
  return of.type === 'mrkdwn' ? <Mrkdwn text={of.text} /> : <p>{plainText(of)}</p>;
}

/** Plain text as Slack shows it. */
export function plainText({ text, emoji }: Omit<TextObject, 'type'>): string {
  return emoji === false ? text : withEmoji(text);
}
