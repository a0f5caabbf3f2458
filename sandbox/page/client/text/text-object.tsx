import { withEmoji } from './emoji.ts';
import { Mrkdwn } from './mrkdwn.tsx';

/** Block Kit's text, as it travels. */
export interface TextObject {
  readonly type: string;
  readonly text: string;
}

/** A text of a block, with markup where it says so. */
export function Text({ of }: { of: TextObject }) {
  return of.type === 'mrkdwn' ? <Mrkdwn text={of.text} /> : <p>{withEmoji(of.text)}</p>;
}
