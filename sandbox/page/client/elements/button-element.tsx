import type { Button } from '@slack/types';
import { useState } from 'preact/hooks';
import { BusyButton } from '../parts/busy-button.tsx';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { withEmoji } from '../text/emoji.ts';
import { openAddress } from '../text/open-address.ts';
import { useSurface } from './surface.ts';

/** A button of the bot. It works until the bot has acknowledged the press. */
export function ButtonElement({ element }: { element: Button }) {
  const { text, style = '', confirm, url } = element;
  const { surface, key, isWorking } = useSurface(element);
  const [isAsking, setAsking] = useState(false);
  const press = (): void => {
    if (url !== undefined) openAddress(url);
    void surface.press(key);
  };
  return (
    <>
      <BusyButton
        kind={style}
        isBusy={isWorking}
        label={element.accessibility_label}
        onPress={confirm ? () => setAsking(true) : press}
      >
        {withEmoji(text.text)}
      </BusyButton>
      {confirm && isAsking && (
        <ConfirmDialog question={confirm} onYes={press} onEnd={() => setAsking(false)} />
      )}
    </>
  );
}
