import { z } from 'zod';
import { type BackstageMethods, backstageMethod } from '../backstage-method.ts';

const run = z.strictObject({
  title: z.string().trim().min(1, 'Write what it wants to do.').max(200, 'Write it shorter.'),
});

/** Runs `ask` as a pipeline would. */
export const pipelineMethods: BackstageMethods = {
  'run-ask': backstageMethod(run, ({ title }, { memory, bot, changed }) => {
    const runAsk = bot()?.runAsk;
    if (runAsk === undefined) throw new Error('There is no terminal here.');
    if (memory.terminal?.exitCode === null) throw new Error('The last command still waits.');
    const command = `gatepost ask --wait --title '${title.replaceAll("'", "'\\''")}'`;
    const terminal = { command, output: '', exitCode: null };
    memory.terminal = terminal;
    const show = (change: { output?: string; exitCode?: number }) => {
      // After a reset the output belongs to an earlier run.
      if (memory.terminal?.command !== command) return;
      memory.terminal = { ...memory.terminal, ...change };
      changed();
    };
    runAsk(title, (text) => show({ output: `${memory.terminal?.output ?? ''}${text}` })).then(
      (exitCode) => show({ exitCode }),
      () => show({ exitCode: 1 }),
    );
    changed();
    return {};
  }),
};
