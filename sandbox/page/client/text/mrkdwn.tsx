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
