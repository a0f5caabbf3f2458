import type { InputBlock as Input } from '@slack/types';
import { useContext, useId } from 'preact/hooks';
import { Element } from '../elements/element.tsx';
import { FieldContext } from '../elements/field.ts';
import { withEmoji } from '../text/emoji.ts';
import { BlockId } from './block-id.ts';
import { ErrorsContext } from './errors.ts';

/** A labelled input, with its hint and with what is wrong with it. */
export function InputBlock({ block }: { block: Input }) {
  const { block_id = '', label, hint, element } = block;
  const { optional = false, dispatch_action = false } = block;
  const error = useContext(ErrorsContext)[block_id];
  const id = useId();
  const [labelId, hintId, errorId] = [`${id}-label`, `${id}-hint`, `${id}-error`];
  const noteIds = [hint && hintId, error && errorId].filter(Boolean).join(' ');
  const field = {
    inputId: id,
    labelId,
    noteIds,
    isWrong: Boolean(error),
    isOptional: optional,
    isDispatched: dispatch_action,
  };
  const isFirst = 'focus_on_load' in element && element.focus_on_load === true;
  return (
    <BlockId.Provider value={block_id}>
      <FieldContext.Provider value={field}>
        <div class={error ? 'input wrong' : 'input'} data-first={isFirst || undefined}>
          <label id={labelId} for={id}>
            {withEmoji(label.text)}
            {optional && <span class="quiet"> (optional)</span>}
          </label>
          <Element element={element} />
          {hint && (
            <p id={hintId} class="quiet">
              {withEmoji(hint.text)}
            </p>
          )}
          {error && (
            <p id={errorId} class="trouble">
              {error}
            </p>
          )}
        </div>
      </FieldContext.Provider>
    </BlockId.Provider>
  );
}
