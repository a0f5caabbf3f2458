import type {
  ActionsBlock as Actions,
  ContextBlock as Context,
  ContextActionsBlock as ContextActions,
  IconButton,
  ImageBlock as Image,
  InputBlock as Input,
  KnownBlock,
  SectionBlock as Section,
} from '@slack/types';
import { createContext, Fragment } from 'preact';
import { useContext, useId } from 'preact/hooks';
import type { Block } from '../../../wire.ts';
import { Element } from '../elements/element.tsx';
import { FieldContext } from '../elements/field.ts';
import { BlockId, useSurface } from '../elements/surface.ts';
import { BusyButton } from '../parts/busy-button.tsx';
import { Picture } from '../parts/picture.tsx';
import { withEmoji } from '../text/emoji.ts';
import { plainText, Text } from '../text/mrkdwn.tsx';
import { RichTextBlock } from './rich-text-block.tsx';

/** The blocks of a message, a modal or a Home tab. */
export function Blocks({ blocks }: { blocks: readonly Block[] }) {
  // The workspace validated every block before storing it.
  const known = blocks as readonly Block[] as readonly KnownBlock[];
  // A different input is mounted anew; everything else is updated in place and keeps the focus.
  const keyOf = ({ type, block_id }: KnownBlock, place: number) =>
    type === 'input' ? `input ${block_id}` : `${type} ${place}`;
  return known.map((block, place) => <OneBlock key={keyOf(block, place)} block={block} />);
}

function OneBlock({ block }: { block: KnownBlock }) {
  switch (block.type) {
    case 'header':
      return <h3 class="block-header">{plainText(block.text)}</h3>;
    case 'section':
      return <SectionBlock block={block} />;
    case 'context':
      return <ContextBlock block={block} />;
    case 'actions':
      return <ActionsBlock block={block} />;
    case 'context_actions':
      return <ContextActionsBlock block={block} />;
    case 'divider':
      return <hr />;
    case 'input':
      return <InputBlock block={block} />;
    case 'image':
      return <ImageBlock block={block} />;
    case 'rich_text':
      return <RichTextBlock block={block} />;
    default:
      return <p class="quiet">(A block “{block.type}” is not drawn here.)</p>;
  }
}

function SectionBlock({ block: { block_id = '', text, fields, accessory } }: { block: Section }) {
  return (
    <BlockId.Provider value={block_id}>
      <div class="section">
        <div class="section-text">
          {text && <Text of={text} />}
          {fields && (
            <div class="fields">
              {fields.map((field, place) => (
                <div key={place}>
                  <Text of={field} />
                </div>
              ))}
            </div>
          )}
        </div>
        {accessory && (
          <div class="accessory">
            <Element element={accessory} />
          </div>
        )}
      </div>
    </BlockId.Provider>
  );
}

function ActionsBlock({ block: { block_id = '', elements } }: { block: Actions }) {
  return (
    <BlockId.Provider value={block_id}>
      <div class="actions">
        {elements.map((element, place) => (
          <Element key={element.action_id ?? place} element={element} />
        ))}
      </div>
    </BlockId.Provider>
  );
}

function ContextActionsBlock({ block: { block_id = '', elements } }: { block: ContextActions }) {
  return (
    <BlockId.Provider value={block_id}>
      <div class="actions">
        {elements.map((element, place) =>
          element.type === 'icon_button' ? (
            <ContextButton key={place} of={element} action={element} />
          ) : (
            <Fragment key={place}>
              <ContextButton of={element.positive_button} action={element} />
              <ContextButton of={element.negative_button} action={element} />
            </Fragment>
          ),
        )}
      </div>
    </BlockId.Provider>
  );
}

interface ContextButtonProps {
  readonly of: Pick<IconButton, 'text' | 'accessibility_label'>;
  readonly action: { readonly action_id?: string };
}

/** One of the buttons of an action. */
function ContextButton({ of: { text, accessibility_label }, action }: ContextButtonProps) {
  const { surface, key, isWorking } = useSurface(action);
  return (
    <BusyButton
      kind=""
      isBusy={isWorking}
      label={accessibility_label}
      onPress={() => void surface.press(key, text.text)}
    >
      {withEmoji(text.text)}
    </BusyButton>
  );
}

function ContextBlock({ block: { elements } }: { block: Context }) {
  return (
    <div class="context">
      {elements.map((element, place) =>
        element.type === 'image' ? (
          <Picture key={place} image={element} isSmall />
        ) : (
          <Text key={place} of={element} />
        ),
      )}
    </div>
  );
}

function ImageBlock({ block }: { block: Image }) {
  return (
    <figure>
      {block.title && <figcaption>{withEmoji(block.title.text)}</figcaption>}
      <Picture image={block} />
    </figure>
  );
}

/** Errors of inputs, by block id. */
export const ErrorsContext = createContext<Readonly<Record<string, string>>>({});

/** A labelled input, with its hint and its error. */
function InputBlock({ block }: { block: Input }) {
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
