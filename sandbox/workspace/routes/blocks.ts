import { isObject } from '../../exchange.ts';
import { type Args, jsonArg } from '../args.ts';
import { messageProblems, viewProblems } from '../blocks/check-blocks.ts';
import { Refusal, refusalWith } from '../refusal.ts';
import type { WebMethods } from '../web-method.ts';

interface Judged {
  readonly error: string;
  /** The prefix of a problem's pointer that is not part of the argument. */
  readonly root: string;
  readonly problems: (value: unknown) => readonly string[];
}

/** By argument: exactly one of them is given. */
const judged: Readonly<Record<'blocks' | 'message' | 'view', Judged>> = {
  blocks: { error: 'invalid_blocks', root: '/blocks', problems: blocksProblems },
  message: {
    error: 'invalid_message',
    root: '',
    problems: (value) => (isObject(value) ? blocksProblems(value.blocks) : notA('object')),
  },
  view: { error: 'invalid_view', root: '/view', problems: viewProblems },
};

function blocksProblems(value: unknown): readonly string[] {
  return Array.isArray(value) ? messageProblems(value) : notA('array');
}

const notA = (what: string) => [`must be a valid ${what} [json-pointer:]`];

/** Checks blocks with the limits of every other method here, and changes nothing. */
export const blocksMethods: WebMethods = {
  'blocks.validate': {
    optional: Object.keys(judged),
    errors: Object.values(judged).map(({ error }) => error),
    run: (args) => {
      const given = Object.entries(judged).filter(([name]) => (args[name] ?? '') !== '');
      const [only, ...others] = given;
      if (only === undefined || others.length > 0) {
        throw refusalWith('invalid_arguments', ['exactly one of blocks, message and view']);
      }
      const [name, judge] = only;
      const errors = judge.problems(readJson(args, name)).map((problem) => found(problem, judge));
      if (errors.length > 0) throw new Refusal(judge.error, { errors });
      return {};
    },
  },
};

function readJson(args: Args, name: string): unknown {
  return jsonArg(args, name, 'invalid_arguments');
}

function found(problem: string, { root }: Judged) {
  const [, message = problem, pointer = ''] = /^(.*) \[json-pointer:(.*)\]$/.exec(problem) ?? [];
  return { pointer: pointer.slice(root.length), code: 'failed_constraint', message };
}
