import type { MultiStaticSelect, StaticSelect as Static } from '@slack/types';
import { useState } from 'preact/hooks';
import { withEmoji } from '../text/emoji.ts';
import { filtered, offersOf } from './option-list.ts';
import { SelectElement } from './select-element.tsx';

/** A select whose options came with it. */
export function StaticSelect({ element }: { element: Static | MultiStaticSelect }) {
  const [typed, setTyped] = useState('');
  const groups = filtered(offersOf(element), typed);
  return (
    <SelectElement
      element={element}
      placeholder={withEmoji(element.placeholder?.text ?? 'Choose an option')}
      groups={groups}
      note={groups.length === 0 ? 'No results' : ''}
      onTyped={setTyped}
    />
  );
}
