import type { z } from 'zod';
import { isObject } from '../exchange.ts';
import type { Block } from '../wire.ts';
import { messageBlocks, view } from './block-schema.ts';

/** What is wrong with the blocks of a message, each with its JSON pointer. Nothing wrong: an empty list. */
export function messageProblems(blocks: readonly unknown[]): string[] {
  return problemsOf(messageBlocks, blocks, '/blocks');
}

/** The same for a view. */
export function viewProblems(value: unknown): string[] {
  return problemsOf(view, value, '/view');
}

function problemsOf(schema: z.ZodType, value: unknown, root: string): string[] {
  const parsed = schema.safeParse(value);
  if (!parsed.success) return parsed.error.issues.flatMap((issue) => words(issue, root));
  return duplicates(Array.isArray(value) ? value : isObject(value) ? value.blocks : []);
}

function words(issue: z.core.$ZodIssue, root: string): string[] {
  const at = (path: readonly PropertyKey[]): string =>
    ` [json-pointer:${[root, ...path.map(String)].join('/')}]`;
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `invalid additional property: ${key}${at(issue.path)}`);
  }
  if (issue.code === 'invalid_union') return [`unsupported type${at(issue.path)}`];
  const last = issue.path.at(-1);
  if (issue.code === 'invalid_type' && issue.input === undefined && typeof last === 'string') {
    return [`missing required field: ${last}${at(issue.path.slice(0, -1))}`];
  }
  if (issue.code === 'invalid_type') return [`must be a valid ${issue.expected}${at(issue.path)}`];
  return [`${issue.message}${at(issue.path)}`];
}

/** A block_id may stand once in a surface, an action_id once in its block. */
function duplicates(blocks: unknown): string[] {
  if (!Array.isArray(blocks)) return [];
  const problems: string[] = [];
  const blockIds = new Set<string>();
  for (const [index, block] of blocks.entries()) {
    if (typeof block.block_id === 'string') {
      if (blockIds.has(block.block_id)) {
        problems.push(`\`block_id\` already exists [json-pointer:/blocks/${index}/block_id]`);
      }
      blockIds.add(block.block_id);
    }
    const actionIds = (block.elements ?? []).map((element: Block) => element.action_id);
    for (const [place, id] of actionIds.entries()) {
      if (id !== undefined && actionIds.indexOf(id) < place) {
        problems.push(
          `\`action_id\` already exists [json-pointer:/blocks/${index}/elements/${place}/action_id]`,
        );
      }
    }
  }
  return problems;
}

/** Characters of all texts in the blocks: what counts against the limit of a message. */
export function textLength(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum, part) => sum + textLength(part), 0);
  if (!isObject(value)) return 0;
  if (typeof value.text === 'string') return value.text.length;
  return Object.values(value).reduce<number>((sum, part) => sum + textLength(part), 0);
}
