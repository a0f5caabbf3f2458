import { withEmoji } from './emoji.ts';
import { Inlines } from './inlines.tsx';
import { type Passage, parseMrkdwn } from './parse-mrkdwn.ts';

/** A text in Slack's markup. */
export function Mrkdwn({ text }: { text: string }) {
  return parseMrkdwn(text).map((passage, place) => <OnePassage key={place} passage={passage} />);
}

function OnePassage({ passage }: { passage: Passage }) {
  if (passage.kind === 'code') return <pre>{passage.text}</pre>;
  const words = <Inlines inside={passage.inside} />;
  return passage.kind === 'quote' ? <blockquote>{words}</blockquote> : <p>{words}</p>;
}

/** Block Kit's text, as it travels. */
interface TextObject {
  readonly type: string;
  readonly text: string;
  /** Of a plain text: whether `:emoji:` in it are pictures. */
  readonly emoji?: boolean;
}

/** A text of a block, with markup where it says so. */
export function Text({ of }: { of: TextObject }) {
  return of.type === 'mrkdwn' ? <Mrkdwn text={of.text} /> : <p>{plainText(of)}</p>;
}

/** A plain text as Slack draws it. */
export function plainText({ text, emoji }: Omit<TextObject, 'type'>): string {
  return emoji === false ? text : withEmoji(text);
}
