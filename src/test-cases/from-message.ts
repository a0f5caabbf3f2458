import { cleanLine } from '../lib/clean-line.ts';
import { clip } from '../lib/clip.ts';
import { DESCRIPTION_MAX, type Entered, TITLE_MAX } from './form-view.ts';

const STEP = /^\s*\d{1,3}[.)]\s+(?<words>\S.*)$/u;

/**
 * What a message makes of a test case: its first line the title; of the rest, numbered lines become
 * steps behind everything else, and the last line leads back to the message.
 */
export function fromMessage(text: string, permalink: string | undefined): Entered {
  const lines = plainText(text).split(/\r?\n/u);
  const first = lines.findIndex((line) => line.trim() !== '');
  const rest = first === -1 ? [] : lines.slice(first + 1);
  const title = clip(cleanLine(withoutMarks(lines[first] ?? '')), TITLE_MAX / 2)[0];
  const steps = rest.flatMap((line) => STEP.exec(line)?.groups?.words ?? []);
  const others = rest
    .filter((line) => !STEP.test(line))
    .join('\n')
    .trim();
  const numbered = steps.map((words, index) => `${index + 1}. ${words.trim()}`);
  const parts = [others, ...(steps.length > 0 ? [['Steps:', ...numbered].join('\n')] : [])];
  const body = parts.filter((part) => part !== '').join('\n\n');
  const source = permalink === undefined ? '' : `From: ${permalink}`;
  // What `clip` counts as one may be two of Slack's.
  const room = DESCRIPTION_MAX - source.length - 2;
  const fitting = body.length > room ? clip(body, Math.floor(room / 2))[0] : body;
  const description = [fitting, source].filter((part) => part !== '').join('\n\n');
  return {
    ...(title !== '' && { title }),
    ...(description !== '' && { description }),
  };
}

/** Slack's markup as plain words: links with their address, escapes undone. */
function plainText(text: string): string {
  return text
    .replace(/<(?:mailto:|tel:)[^>|]*\|(?<label>[^>]*)>/gu, '$<label>')
    .replace(/<(?<sign>[@#!])(?<id>[^>|]*)(?:\|(?<name>[^>]*))?>/gu, (_, sign, id, name) => {
      const word: string = name ?? id;
      return sign === '!' || word.startsWith(sign) ? word : `${sign}${word}`;
    })
    .replace(/<(?<address>[^>|]*)\|(?<label>[^>]*)>/gu, (_, address, label) =>
      address === label ? address : `${label} (${address})`,
    )
    .replace(/<(?<address>[^>|]*)>/gu, '$<address>')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** A heading in bold, or the first of the numbered lines, is a title without its marks. */
function withoutMarks(line: string): string {
  const words = STEP.exec(line)?.groups?.words ?? line;
  return words.trim().replace(/^([*_])(?<inner>[^*_]+)\1$/u, '$<inner>');
}
