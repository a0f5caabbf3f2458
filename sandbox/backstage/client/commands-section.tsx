import { useState } from 'preact/hooks';
import type { DemoState, PageCommandLine } from '../backstage-state.ts';
import type { Section } from './section.ts';

export const commandsSection: Section = { title: 'Your own terminal', Content: Commands };

/** Commands for reaching the bot from a pipeline or a terminal. */
function Commands({ state: { commands } }: { state: DemoState }) {
  if (commands.length === 0) return <p class="quiet">Only in the demo.</p>;
  return (
    <>
      <p class="quiet">The commands of docs/asking.md work here.</p>
      {commands.map((line) => (
        <CommandLine key={line.command} line={line} />
      ))}
    </>
  );
}

function CommandLine({ line: { title, command } }: { line: PageCommandLine }) {
  const [words, setWords] = useState('');
  const copy = (): void => {
    navigator.clipboard.writeText(command).then(
      () => setWords('Copied'),
      () => setWords('The browser did not copy it. Select it and copy it yourself.'),
    );
  };
  return (
    <figure class="command-line">
      <figcaption>{title}</figcaption>
      <pre class="terminal">{command}</pre>
      <button type="button" class="button small" onClick={copy}>
        Copy<span class="hidden"> “{title}”</span>
      </button>
      <span class="quiet" role="status">
        {words}
      </span>
    </figure>
  );
}
