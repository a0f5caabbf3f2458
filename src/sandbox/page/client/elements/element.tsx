import type { ActionsBlockElement, SectionBlockAccessory } from '@slack/types';
import { Picture } from '../parts/picture.tsx';
import { ButtonElement } from './button-element.tsx';

/** Something to press or to choose, or an image beside a text. */
export function Element({ element }: { element: ActionsBlockElement | SectionBlockAccessory }) {
  switch (element.type) {
    case 'button':
      return <ButtonElement element={element} />;
    case 'image':
      return <Picture image={element} />;
    default:
      return <span class="quiet">({element.type} is not drawn here.)</span>;
  }
}
