import type {
  ChannelsSelect,
  ConversationsSelect,
  MultiChannelsSelect,
  MultiConversationsSelect,
  MultiUsersSelect,
  UsersSelect,
} from '@slack/types';
import { useState } from 'preact/hooks';
import { withEmoji } from '../text/emoji.ts';
import { type Reader, useReader } from '../text/reader.ts';
import { filtered, type Offer } from './option-list.ts';
import { SelectElement } from './select-element.tsx';

type Directory =
  | UsersSelect
  | MultiUsersSelect
  | ChannelsSelect
  | MultiChannelsSelect
  | ConversationsSelect
  | MultiConversationsSelect;

/** A select of people or of channels. */
export function DirectorySelect({ element }: { element: Directory }) {
  const reader = useReader();
  const [typed, setTyped] = useState('');
  const offers = offersFor(element, reader);
  const groups = filtered([{ heading: '', offers }], typed);
  return (
    <SelectElement
      element={element}
      placeholder={withEmoji(element.placeholder?.text ?? 'Choose an option')}
      groups={groups}
      note={groups.length === 0 ? 'No results' : ''}
      onTyped={setTyped}
      labelOf={(value) => offers.find((offer) => offer.value === value)?.label ?? ''}
    />
  );
}

function offersFor(element: Directory, { people, channels }: Reader): Offer[] {
  if (element.type.endsWith('users_select')) {
    return people.map(({ id, name }) => ({ value: id, label: name, description: '' }));
  }
  const kinds = kindsIn(element);
  return channels
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ id, name }) => ({ value: id, label: `#${name}`, description: '' }));
}

/** Kinds of channels that it offers. */
function kindsIn(element: Directory): readonly string[] {
  if (element.type.endsWith('channels_select')) return ['public'];
  const filter = 'filter' in element ? element.filter : undefined;
  return filter?.include ?? ['public', 'private'];
}
