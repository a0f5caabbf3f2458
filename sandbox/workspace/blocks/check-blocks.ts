import type * as z from 'zod';
import { isObject } from '../../exchange.ts';
import type { Block, View } from '../../wire.ts';
import { elementsOf } from '../elements.ts';
import { optionsAnswer } from './selects.ts';
import { messageBlocks, view } from './surfaces.ts';

/** Problems of a message's blocks, each with its JSON pointer; empty: none. @param root the pointer of the list */
export function messageProblems(blocks: readonly unknown[], root = '/blocks'): string[] {
  const problems = problemsOf(messageBlocks, blocks, root);
  // It passed the schema: it is a list of blocks.
  return problems.length > 0 ? problems : problemsTogether(blocks as Block[], root);
}

/** The same for a view. */
export function viewProblems(value: unknown): string[] {
  const problems = problemsOf(view, value, '/view');
  if (problems.length > 0) return problems;
  // It passed the schema: it is a view.
  return problemsTogether((value as View).blocks, '/view/blocks');
}

/** The same for the options that an app returns for an external select. */
export function optionsProblems(value: unknown): string[] {
  return problemsOf(optionsAnswer, value, '');
}

/** Problems of a value by its schema. @param root the JSON pointer of the value */
export function problemsOf(schema: z.ZodType, value: unknown, root: string): string[] {
  const { error } = schema.safeParse(value, { reportInput: true });
  return error?.issues.flatMap((issue) => wordsOf(issue, root)) ?? [];
}

function wordsOf(issue: z.core.$ZodIssue, root: string): string[] {
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

/** Characters of all texts in the blocks: they count against the limit of a message. */
export function textLength(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum, part) => sum + textLength(part), 0);
  if (!isObject(value)) return 0;
  if (typeof value.text === 'string') return value.text.length;
  // Without a label the address itself is shown.
  if (value.type === 'link' && typeof value.url === 'string') return value.url.length;
  return Object.values(value).reduce<number>((sum, part) => sum + textLength(part), 0);
}

/** Problems between blocks that are each valid. @param root the JSON pointer of the list. */
function problemsTogether(blocks: readonly Block[], root: string): string[] {
  const focused = elementsOf(blocks).filter(({ element }) => element.focus_on_load === true);
  return [
    ...repeated(blocks.map(({ block_id }) => block_id)).map(
      (index) => `\`block_id\` already exists [json-pointer:${root}/${index}/block_id]`,
    ),
    ...blocks.flatMap((block, index) => repeatedActions(block, `${root}/${index}`)),
    ...(focused.length > 1
      ? [`only one element may have focus_on_load [json-pointer:${root}]`]
      : []),
  ];
}

/** An action_id is unique in its block. */
function repeatedActions(block: Block, pointer: string): string[] {
  const ids = elementsOf([block]).map(({ element }) => element.action_id);
  return repeated(ids).map(
    (place) => `\`action_id\` already exists [json-pointer:${pointer}/elements/${place}/action_id]`,
  );
}

/** Indexes of repeated ids. */
function repeated(ids: readonly unknown[]): number[] {
  return [...ids.keys()].filter(
    (place) => ids[place] !== undefined && ids.indexOf(ids[place]) < place,
  );
}
