import type {
  ChannelsSelect,
  ConfirmationDialog,
  ConversationsSelect,
  ExternalSelect as External,
  MultiChannelsSelect,
  MultiConversationsSelect,
  MultiExternalSelect,
  MultiStaticSelect,
  MultiUsersSelect,
  StaticSelect as Static,
  UsersSelect,
} from '@slack/types';
import { useEffect, useRef, useState } from 'preact/hooks';
import { ConfirmDialog } from '../parts/dialog.tsx';
import { withEmoji } from '../text/emoji.ts';
import { type Reader, useReader } from '../text/reader.ts';
import { Combobox } from './combobox.tsx';
import { type Chosen, chosenIn } from './held.ts';
import { filtered, type Offer, type OfferGroup, offerOf, offersOf } from './option-list.ts';
import { useSurface } from './surface.ts';

interface Props {
  readonly element: {
    readonly type: string;
    readonly action_id?: string;
    readonly confirm?: ConfirmationDialog;
    readonly max_selected_items?: number;
  };
  readonly placeholder: string;
  readonly groups: readonly OfferGroup[];
  readonly note: string;
  readonly onTyped: (typed: string) => void;
  /** Names of ids, which have no label of their own. */
  readonly labelOf?: (value: string) => string;
}

/** A select of any kind. */
function SelectElement(props: Props) {
  const { element, labelOf = () => '', ...shown } = props;
  const { type, confirm, max_selected_items: most } = element;
  const { surface, key, held, isWorking } = useSurface(element);
  const [asked, setAsked] = useState<readonly Chosen[] | null>(null);
  const chosen = chosenIn(held).map(({ value, label }) => ({
    value,
    label: label || labelOf(value) || value,
  }));
  const choose = (next: readonly Chosen[]): void => void surface.choose(key, next, type);
  return (
    <>
      <Combobox
        {...shown}
        chosen={chosen}
        isMany={type.startsWith('multi_')}
        {...(most !== undefined && { most })}
        isWorking={isWorking}
        onChoose={confirm ? setAsked : choose}
      />
      {confirm && asked && (
        <ConfirmDialog
          question={confirm}
          onYes={() => choose(asked)}
          onEnd={() => setAsked(null)}
        />
      )}
    </>
  );
}

/** A select whose options are in its block. */
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

/** Slack asks for options after a pause in typing of this length, and from this many characters on. */
const restMs = 250;
const usualLeast = 3;

/** A select whose options the app supplies while a person types. */
export function ExternalSelect({ element }: { element: External | MultiExternalSelect }) {
  const least = element.min_query_length ?? usualLeast;
  const { surface, key } = useSurface(element);
  const [groups, setGroups] = useState<readonly OfferGroup[]>([]);
  const [note, setNote] = useState('');
  const timer = useRef<number | undefined>(undefined);
  const latest = useRef('');
  useEffect(() => () => clearTimeout(timer.current), []);

  const ask = async (typed: string): Promise<void> => {
    const options = await surface.suggest(key, typed);
    // Options for an earlier text are discarded.
    if (latest.current !== typed) return;
    setGroups(options ? [{ heading: '', offers: options.map(offerOf) }] : []);
    setNote(options && options.length > 0 ? '' : 'No results');
  };
  const onTyped = (typed: string): void => {
    latest.current = typed;
    clearTimeout(timer.current);
    setGroups([]);
    const isShort = typed.length < least;
    setNote(
      isShort
        ? `Type ${least === 1 ? 'a character' : `${least} characters`} to search`
        : 'Loading…',
    );
    if (!isShort) timer.current = window.setTimeout(() => void ask(typed), restMs);
  };
  return (
    <SelectElement
      element={element}
      placeholder={withEmoji(element.placeholder?.text ?? 'Choose an option')}
      groups={groups}
      note={note}
      onTyped={onTyped}
    />
  );
}

type Directory =
  | UsersSelect
  | MultiUsersSelect
  | ChannelsSelect
  | MultiChannelsSelect
  | ConversationsSelect
  | MultiConversationsSelect;

/** A select of people or channels. */
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

/** The kinds of channels that it offers. */
function kindsIn(element: Directory): readonly string[] {
  if (element.type.endsWith('channels_select')) return ['public'];
  const filter = 'filter' in element ? element.filter : undefined;
  return filter?.include ?? ['public', 'private'];
}
