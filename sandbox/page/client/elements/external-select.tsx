import type { ExternalSelect as External, MultiExternalSelect } from '@slack/types';
import { useEffect, useRef, useState } from 'preact/hooks';
import { withEmoji } from '../text/emoji.ts';
import { type OfferGroup, offerOf } from './option-list.ts';
import { SelectElement } from './select-element.tsx';
import { useSurface } from './surface.ts';

/** Slack asks when a person has stopped typing for so long, and from so many characters on. */
const restMs = 250;
const usualLeast = 3;

/** A select whose options the bot gives as a person types. */
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
    // What belongs to words that were typed before is too late.
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
