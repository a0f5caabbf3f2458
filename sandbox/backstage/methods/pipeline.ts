import * as z from 'zod';
import type { Asked } from '../../sandbox.ts';
import {
  type BackstageMethods,
  type BackstageWorld,
  backstageMethod,
} from '../backstage-method.ts';

const run = z.strictObject({
  title: z.string().trim().min(1, 'Write what it wants to do.').max(200, 'Write it shorter.'),
});

export const pipelineMethods: BackstageMethods = {
  'run-ask': backstageMethod(run, (asked, world) => {
    runInTerminal(asked, world);
    return {};
  }),
};

/** Runs `ask` as a pipeline would. Throws while another one waits. */
export function runInTerminal(asked: Asked, { memory, bot, changed }: BackstageWorld): void {
  const runAsk = bot()?.runAsk;
  if (runAsk === undefined) throw new Error('There is no terminal here.');
  if (memory.terminal?.exitCode === null) throw new Error('The last command still waits.');
  const words = Object.entries(asked).map(([name, text]) => ` --${name} ${quoted(text)}`);
  memory.terminal = {
    command: `gatepost ask --wait${words.join('')}`,
    output: '',
    exitCode: null,
  };
  const own = Symbol('run');
  memory.run = own;
  const show = (change: { output?: string; exitCode?: number }) => {
    // After a reset the output belongs to an earlier run.
    if (memory.run !== own || memory.terminal === null) return;
    memory.terminal = { ...memory.terminal, ...change };
    changed();
  };
  runAsk(asked, (text) => show({ output: `${memory.terminal?.output ?? ''}${text}` })).then(
    (exitCode) => show({ exitCode }),
    () => show({ exitCode: 1 }),
  );
  changed();
}

/** For a shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
