import type { ConfigProblem } from './environment.ts';

/** The text that is printed before the process ends with exit code 2. Ends with a line break. */
export function formatProblems(problems: readonly ConfigProblem[]): string {
  const width = Math.max(...problems.map(({ name }) => name.length));
  const lines = problems.map(({ name, message }) => `  ${name.padEnd(width)}  ${message}\n`);
  const head = problems.length === 1 ? 'One setting is' : `${problems.length} settings are`;
  return `${head} not right:\n${lines.join('')}`;
}
