import type { PageShortcut } from '../../page-state.ts';
import { askSandbox } from '../live/ask-sandbox.ts';
import { MenuButton } from '../parts/menu-button.tsx';
import { useReader } from '../text/reader.ts';

interface Props {
  readonly shortcuts: readonly PageShortcut[];
  readonly onTrouble: (words: string) => void;
}

/** The bot's shortcuts that need no message; nothing where it has none. */
export function ShortcutMenu({ shortcuts, onTrouble }: Props) {
  const { id: user } = useReader();
  const global = shortcuts.filter(({ type }) => type === 'global');
  if (global.length === 0) return null;
  const use = async (callbackId: string): Promise<void> => {
    onTrouble('');
    const given = await askSandbox('shortcut', { user, callbackId });
    if (!given.ok) onTrouble(given.error);
    else if (typeof given.body.shown === 'string') onTrouble(given.body.shown);
  };
  return (
    <MenuButton
      label="Shortcuts"
      icon="bolt"
      items={global.map(({ callbackId, name, description }) => ({
        label: name,
        note: description,
        onPick: () => void use(callbackId),
      }))}
    />
  );
}
