import type { PageCommand } from '../../page-state.ts';

interface Props {
  readonly text: string;
  readonly commands: readonly PageCommand[];
}

/** What may follow the command that was typed. */
export function CommandHint({ text, commands }: Props) {
  const known = commands.find(({ command }) => text.startsWith(`${command} `));
  const words = known && [known.command, known.usageHint].filter(Boolean).join(' ');
  return (
    <p class="command-hint" role="status">
      {words && (
        <>
          <strong>{words}</strong> {known.description}
        </>
      )}
    </p>
  );
}
