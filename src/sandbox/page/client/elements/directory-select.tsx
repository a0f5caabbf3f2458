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

/** A select of people, of channels, or of both. */
export function DirectorySelect({ element }: { element: Directory }) {
  const reader = useReader();
  const [typed, setTyped] = useState('');
  const offers = offersFor(element.type, reader);
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

function offersFor(type: Directory['type'], { people, channels }: Reader): Offer[] {
  const users = people.map(({ id, name }) => ({ value: id, label: name, description: '' }));
  const places = channels.map(({ id, name }) => ({
    value: id,
    label: `#${name}`,
    description: '',
  }));
  if (type.endsWith('users_select')) return users;
  return type.endsWith('conversations_select') ? [...places, ...users] : places;
}
