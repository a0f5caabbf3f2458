import type { PageMessage, PageShortcut } from '../../page-state.ts';
import { askSandbox } from '../live/ask-sandbox.ts';
import { Icon } from '../parts/icon.tsx';
import { MenuButton } from '../parts/menu-button.tsx';
import { useGo } from '../place/go.ts';
import { addressOf, nowhere } from '../place/place.ts';
import { useReader } from '../text/reader.ts';

interface Props {
  readonly channel: string;
  readonly message: PageMessage;
  readonly shortcuts: readonly PageShortcut[];
  readonly isInThread: boolean;
  readonly onTrouble: (words: string | null) => void;
}

/** What can be done with a message: seen while the pointer or the focus is there. */
export function MessageTools({ channel, message, shortcuts, isInThread, onTrouble }: Props) {
  const go = useGo();
  const { id: user } = useReader();
  const { ts, thread = '' } = message;
  const use = async (callbackId: string): Promise<void> => {
    onTrouble(null);
    const given = await askSandbox('shortcut', { user, callbackId, message: { channel, ts } });
    if (!given.ok) onTrouble(given.error);
    else if (typeof given.body.shown === 'string') onTrouble(given.body.shown);
  };
  const copyLink = async (): Promise<void> => {
    const link = new URL(addressOf({ ...nowhere, channel, message: ts, thread }), location.href);
    await navigator.clipboard.writeText(link.href).catch(() => onTrouble(link.href));
  };
  const own = shortcuts.filter(({ type }) => type === 'message');
  return (
    <div class="message-tools">
      {!isInThread && (
        <button
          type="button"
          class="icon-button"
          aria-label="Reply in thread"
          onClick={() => go({ thread: ts, message: '' })}
        >
          <Icon name="reply" />
        </button>
      )}
      <MenuButton
        label="More actions"
        items={[
          ...own.map(({ callbackId, name }) => ({
            label: name,
            note: 'Gatepost',
            onPick: () => void use(callbackId),
          })),
          { label: 'Copy link', onPick: () => void copyLink() },
        ]}
      />
    </div>
  );
}
