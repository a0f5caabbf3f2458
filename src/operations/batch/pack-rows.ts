import type { SectionBlock } from '@slack/types';
import { section } from '../../core/slack/blocks.ts';

/** Slack's limit for the text of a section. */
const SECTION_MAX = 3_000;

/** Packs rows of markup, each shorter than a section, into as few sections as possible. */
export function sectionsOf(rows: readonly string[]): SectionBlock[] {
  return packed(rows, SECTION_MAX).map(section);
}

/** Joins lines into as few texts of at most `max` characters as possible. */
export function packed(lines: readonly string[], max: number): string[] {
  const texts: string[] = [];
  for (const line of lines) {
    const last = texts.at(-1);
    const isFull = last === undefined || last.length + 1 + line.length > max;
    if (isFull) texts.push(line);
    else texts[texts.length - 1] = `${last}\n${line}`;
  }
  return texts;
}
