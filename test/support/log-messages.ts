import { readSources } from './source-imports.ts';

export interface LogMessage {
  readonly level: string;
  readonly message: string;
  /** Where it is logged. */
  readonly path: string;
}

const CALL = /\blogger\??\.(trace|debug|info|warn|error|fatal)\(/g;

/** Every constant message that the program logs. What is logged by a variable is left out. */
export async function loggedMessages(folder: string): Promise<readonly LogMessage[]> {
  const sources = await readSources(folder);
  return sources.flatMap(({ path, text }) =>
    [...text.matchAll(CALL)].flatMap(({ 1: level = '', index, 0: call }) =>
      literalsIn(argumentsAt(text, index + call.length)).map((message) => ({
        level,
        message,
        path,
      })),
    ),
  );
}

/** The text up to the bracket that closes the call. */
function argumentsAt(text: string, start: number): string {
  let depth = 1;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')') depth -= 1;
    if (depth === 0) return text.slice(start, at);
  }
  return text.slice(start);
}

/** The literals of the last argument, which may choose between two. */
function literalsIn(given: string): string[] {
  const last = /(?:^|[},]|\w)\s*,\s*([^,{}]*?),?\s*$/s.exec(given)?.[1] ?? given;
  return [...last.matchAll(/'((?:[^'\\]|\\.)*)'/g)].map(([, text = '']) => text);
}
