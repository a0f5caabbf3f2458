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

/**
 * Turns names of people and channels into mentions, for a command with `should_escape`. `@ben` and `@Ben Okafor`, which
 * Slack's list of people inserts, mean the same person.
 */
export function withMentions(text: string, { users, conversations }: World): string {
  const mentions = new Map<string, string>();
  for (const { name, id } of conversations.values()) mentions.set(`#${name}`, `<#${id}|${name}>`);
  for (const { name, real_name, profile, id } of users.values()) {
    for (const called of [real_name, profile.display_name, name]) {
      mentions.set(`@${called}`, `<@${id}|${name}>`);
    }
  }
  // Direct messages have no name.
  for (const sign of '#@') mentions.delete(sign);
  // Longest names first: `@ben okafor` before `@ben`.
  const names = [...mentions.keys()].sort((one, other) => other.length - one.length);
  const known = names.map((each) => each.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|');
  return text.replace(new RegExp(`(?<!\\S)(?:${known})(?![\\w.-])`, 'g'), (found) => {
    return mentions.get(found) ?? found;
  });
}
