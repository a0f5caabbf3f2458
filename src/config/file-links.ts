import type { Config } from './config.ts';
import { Unfit } from './environment.ts';
import { optional, type Reader, section } from './file-reader.ts';
import { text } from './file-values.ts';

/** Where people can look at what the service holds. */
export const linksReader: Reader<Config['links']> = section({
  task: optional(linkWith('key', ['spaceSlug', 'projectSlug']), null),
  testCase: optional(linkWith('id', ['testProjectId']), null),
});

/** An address with `{needed}` in it, and perhaps the others. */
function linkWith(needed: string, others: readonly string[]): (value: unknown) => string {
  const rest = others.map((name) => `{${name}}`).join(' and ');
  const rule = `must be an http or https address with {${needed}} in it, and ${rest} if need be`;
  return (value) => {
    const link = text(value);
    const names = [...link.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name ?? '');
    const isRight =
      names.includes(needed) && names.every((name) => name === needed || others.includes(name));
    if (/^https?:\/\/[^\s<>|]+$/.test(link) && isRight) return link;
    throw new Unfit(rule);
  };
}
