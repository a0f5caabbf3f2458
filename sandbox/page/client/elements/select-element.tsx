import type { ConfirmationDialog } from '@slack/types';
import { useState } from 'preact/hooks';
import { ConfirmDialog } from '../parts/confirm-dialog.tsx';
import { Combobox } from './combobox.tsx';
import { type Chosen, chosenIn } from './held.ts';
import type { OfferGroup } from './option-list.ts';
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

/** A select of any kind, whatever it offers. */
export function SelectElement(props: Props) {
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
