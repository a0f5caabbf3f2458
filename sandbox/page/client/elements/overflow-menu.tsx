import type { Overflow, PlainTextOption } from '@slack/types';
import { useState } from 'preact/hooks';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { MenuButton } from '../parts/menu-button.tsx';
import { withEmoji } from '../text/emoji.ts';
import { openAddress } from '../text/open-address.ts';
import { useSurface } from './surface.ts';

/** A menu of commands behind three dots. It keeps nothing. */
export function OverflowMenu({ element }: { element: Overflow }) {
  const { surface, key, isWorking } = useSurface(element);
  const [asked, setAsked] = useState<PlainTextOption | null>(null);
  const { confirm, options, type } = element;
  const pick = (option: PlainTextOption): void => {
    if (option.url !== undefined) openAddress(option.url);
    void surface.choose(key, [{ value: option.value ?? '', label: '' }], type);
  };
  return (
    <>
      <MenuButton
        label="More options"
        isBusy={isWorking}
        items={options.map((option) => ({
          label: withEmoji(option.text.text),
          onPick: () => (confirm ? setAsked(option) : pick(option)),
        }))}
      />
      {confirm && asked && (
        <ConfirmDialog question={confirm} onYes={() => pick(asked)} onEnd={() => setAsked(null)} />
      )}
    </>
  );
}
