import { accessory, action, contextAction, input } from '../workspace/blocks/elements.ts';
import { messageBlocks } from '../workspace/blocks/surfaces.ts';
import { tiers } from '../workspace/tier-limits.ts';
import { webMethods } from '../workspace/web-api.ts';
import type { WebMethod } from '../workspace/web-method.ts';
import { documented, samples } from './workspace/blocks/documented-elements.ts';
import { coverage } from './workspace/coverage.ts';

/** The README's tables of methods, blocks and limits, by the name of their place there. */
export const tables: Readonly<Record<string, string>> = {
  methods: [
    '| method | scope | tier | arguments |',
    '|---|---|---|---|',
    ...Object.entries(webMethods)
      .sort(([one], [other]) => one.localeCompare(other))
      .map(
        ([name, method]) =>
          `| \`${name}\` | ${scopeOf(method)} | ${tierOf(name)} | ${argumentsOf(method)} |`,
      ),
  ].join('\n'),
  events: codes(coverage.events),
  blocks: [
    `- Blocks: ${codes(typesOf(messageBlocks.element))}`,
    `- In an \`actions\` block: ${codes(typesOf(action))}`,
    `- In a \`context_actions\` block, only in messages: ${codes(typesOf(contextAction))}`,
    `- In an \`input\` block: ${codes(typesOf(input))}`,
    `- Beside a \`section\`: ${codes(typesOf(accessory))}`,
  ].join('\n'),
  elements: [
    '| element | members |',
    '|---|---|',
    ...Object.entries(samples).map(
      ([type, members]) => `| \`${type}\` | ${membersOf(type, members)} |`,
    ),
  ].join('\n'),
  limits: coverage.limits.map((limit) => `- ${limit}`).join('\n'),
};

function codes(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(' ');
}

/** Those that it needs in bold. */
function membersOf(type: string, members: object): string {
  const needed = Object.entries(documented).find(([name]) => name === type)?.[1].needs ?? [];
  return Object.keys(members)
    .filter((name) => name !== 'type')
    .map((name) => (needed.includes(name) ? `**${name}**` : name))
    .join(' ');
}

function tierOf(method: string): string {
  const listed = tiers.find(({ methods }) => methods.some((each) => each === method));
  return String(listed?.tier ?? '');
}

function scopeOf({ scope, token }: WebMethod): string {
  if (token === 'app') return "the app's token";
  return scope === undefined ? '' : `\`${scope}\``;
}

/** Required ones in bold, those without effect in italics. */
function argumentsOf({ required = [], optional = [], ignored = [], ofTeam }: WebMethod): string {
  return [
    ...required.map((name) => `**${name}**`),
    ...optional,
    ...ignored.map((name) => `_${name}_`),
    ...(ofTeam ? ['team_id'] : []),
  ].join(' ');
}

interface Union {
  readonly options: readonly { readonly shape: { readonly type: { readonly value: string } } }[];
}

function typesOf({ options }: Union): string[] {
  return options.map(({ shape }) => shape.type.value);
}
