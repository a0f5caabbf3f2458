import type { World } from './world.ts';

/** A mention or link that is already in Slack's syntax. */
const token = /<(?:[@#!][^<>\s]*|https?:[^<>]*|mailto:[^<>]*)>/g;

/** Typed text as Slack stores it: `&`, `<` and `>` are escaped, except in mentions. */
export function typedText(text: string): string {
  let kept = '';
  let place = 0;
  for (const { 0: mention, index } of text.matchAll(token)) {
    kept += escaped(text.slice(place, index)) + mention;
    place = index + mention.length;
  }
  return kept + escaped(text.slice(place));
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** Turns names of people and channels into mentions, for a command with `should_escape`. */
export function withMentions(text: string, { users, conversations }: World): string {
  const people = new Map([...users.values()].map(({ name, id }) => [name, id]));
  const channels = new Map([...conversations.values()].map(({ name, id }) => [name, id]));
  return text.replace(/(^|\s)([@#])([\w.-]+)/g, (whole, before, sign, name) => {
    const id = (sign === '@' ? people : channels).get(name);
    return id === undefined ? whole : `${before}<${sign}${id}|${name}>`;
  });
}
