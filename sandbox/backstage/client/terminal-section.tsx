import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useAsking } from '../../page/client/live/ask-sandbox.ts';
import { BusyButton } from '../../page/client/parts/busy-button.tsx';
import { Trouble } from '../../page/client/parts/trouble.tsx';
import type { DemoState, PageTerminal } from '../backstage-state.ts';
import type { Section } from './section.ts';

export const terminalSection: Section = { title: 'A pipeline that waits', Content: Pipeline };

/** A command that asks for an approval itself: the service does not know it. */
function Pipeline({ state: { terminal, hasTerminal } }: { state: DemoState }) {
  const { ask, isAsking, trouble } = useAsking();
  const [title, setTitle] = useState('Apply the plan of checkout');
  if (!hasTerminal) return <p class="quiet">Only in the demo.</p>;
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        void ask('run-ask', { title });
      }}
    >
      <p class="quiet">It waits for people, and goes on if they approve.</p>
      <label class="field">
        <span>What does the pipeline want to do?</span>
        <input value={title} onInput={({ currentTarget }) => setTitle(currentTarget.value)} />
      </label>
      <BusyButton kind="primary" isBusy={isAsking}>
        Run gatepost ask
      </BusyButton>
      <Trouble words={trouble} />
      {terminal !== null && <Screen terminal={terminal} />}
    </form>
  );
}

function Screen({ terminal: { command, output, exitCode } }: { terminal: PageTerminal }) {
  const screen = useRef<HTMLPreElement>(null);
  const end = exitCode === null ? '' : `exit code ${exitCode}\n`;
  // Keeps the last line visible, as a terminal does.
  useLayoutEffect(() => {
    if (screen.current) screen.current.scrollTop = screen.current.scrollHeight;
  }, [output, end]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without a pointer it is scrolled by keys
    <pre ref={screen} class="terminal" role="log" aria-label="Terminal" tabIndex={0}>
      {`$ ${command}\n${output}${end}`}
    </pre>
  );
}
