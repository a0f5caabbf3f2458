import type {
  ActionsBlockElement,
  Button,
  InputBlockElement,
  Overflow,
  PlainTextOption,
  SectionBlockAccessory,
} from '@slack/types';
import { useState } from 'preact/hooks';
import { BusyButton } from '../parts/busy-button.tsx';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { MenuButton } from '../parts/menu-button.tsx';
import { Picture } from '../parts/picture.tsx';
import { withEmoji } from '../text/emoji.ts';
import { openAddress, webAddress } from '../text/web-address.ts';
import { ChoiceBoxes, FileInput, TimeInput, WordsInput } from './inputs.tsx';
import { DirectorySelect, ExternalSelect, StaticSelect } from './select-element.tsx';
import { useSurface } from './surface.ts';

type AnyElement = ActionsBlockElement | SectionBlockAccessory | InputBlockElement;

/** An interactive element, or an image in a section. */
export function Element({ element }: { element: AnyElement }) {
  switch (element.type) {
    case 'button':
      return <ButtonElement element={element} />;
    case 'image':
      return <Picture image={element} />;
    case 'overflow':
      return <OverflowMenu element={element} />;
    case 'static_select':
    case 'multi_static_select':
      return <StaticSelect element={element} />;
    case 'external_select':
    case 'multi_external_select':
      return <ExternalSelect element={element} />;
    case 'users_select':
    case 'multi_users_select':
    case 'channels_select':
    case 'multi_channels_select':
    case 'conversations_select':
    case 'multi_conversations_select':
      return <DirectorySelect element={element} />;
    case 'checkboxes':
    case 'radio_buttons':
      return <ChoiceBoxes element={element} />;
    case 'datepicker':
    case 'timepicker':
    case 'datetimepicker':
      return <TimeInput element={element} />;
    case 'file_input':
      return <FileInput element={element} />;
    case 'plain_text_input':
    case 'email_text_input':
    case 'url_text_input':
    case 'number_input':
      return <WordsInput element={element} />;
    default:
      return <span class="quiet">({element.type} is not drawn here.)</span>;
  }
}

/**
 * A button of the app. It is busy until the app has acknowledged the press. With a URL it is a link, and the app is
 * notified too.
 */
function ButtonElement({ element }: { element: Button }) {
  const { text, style = '', confirm, url } = element;
  const { surface, key, isWorking } = useSurface(element);
  const [isAsking, setAsking] = useState(false);
  const press = (): void => {
    if (url !== undefined) openAddress(url);
    void surface.press(key);
  };
  const address = url === undefined ? undefined : webAddress(url);
  if (address && !confirm) {
    return (
      <a
        class={`button ${style}`}
        href={address.href}
        target="_blank"
        rel="noopener noreferrer"
        aria-label={element.accessibility_label}
        aria-busy={isWorking || undefined}
        onClick={() => void surface.press(key)}
      >
        {withEmoji(text.text)}
        {isWorking && <span class="spinner" aria-hidden="true" />}
      </a>
    );
  }
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

/** An overflow menu. It keeps no value. */
function OverflowMenu({ element }: { element: Overflow }) {
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
        label="More actions"
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
