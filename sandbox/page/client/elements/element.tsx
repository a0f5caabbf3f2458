import type { ActionsBlockElement, InputBlockElement, SectionBlockAccessory } from '@slack/types';
import { Picture } from '../parts/picture.tsx';
import { ButtonElement } from './button-element.tsx';
import { ChoiceBoxes } from './choice-boxes.tsx';
import { DirectorySelect } from './directory-select.tsx';
import { ExternalSelect } from './external-select.tsx';
import { OverflowMenu } from './overflow-menu.tsx';
import { StaticSelect } from './static-select.tsx';
import { TimeInput } from './time-input.tsx';
import { WordsInput } from './words-input.tsx';

type AnyElement = ActionsBlockElement | SectionBlockAccessory | InputBlockElement;

/** Something to press, to choose or to write, or an image beside a text. */
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
    case 'plain_text_input':
    case 'email_text_input':
    case 'url_text_input':
    case 'number_input':
      return <WordsInput element={element} />;
    default:
      return <span class="quiet">({element.type} is not drawn here.)</span>;
  }
}
