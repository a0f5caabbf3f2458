import type { EmailInput, NumberInput, PlainTextInput, URLInput } from '@slack/types';
import { useContext, useRef } from 'preact/hooks';
import { withEmoji } from '../text/emoji.ts';
import { FieldContext, useField } from './field.ts';
import { wordsIn } from './held.ts';
import { useSurface } from './surface.ts';

type Words = PlainTextInput | EmailInput | URLInput | NumberInput;

const modes = {
  plain_text_input: 'text',
  email_text_input: 'email',
  url_text_input: 'url',
  number_input: 'decimal',
} as const;

/** So near its most, an input says how many characters are left. */
const nearMost = 100;

/** Words or a number. The workspace hears of them when the person goes on. */
export function WordsInput({ element }: { element: Words }) {
  const { surface, key, held } = useSurface(element);
  const words = wordsIn(held);
  const placeholder = withEmoji(element.placeholder?.text ?? '');
  const { multiline = false, max_length: most = 3000 } =
    element.type === 'plain_text_input' ? element : {};
  const isDispatched = useContext(FieldContext)?.isDispatched === true;
  const { trigger_actions_on = ['on_enter_pressed'] } = element.dispatch_action_config ?? {};
  const tellsAt = (moment: 'on_enter_pressed' | 'on_character_entered'): boolean =>
    isDispatched && trigger_actions_on.includes(moment);
  const kept = useRef(words);
  const keep = (typed: string): void => {
    kept.current = typed;
    void surface.choose(key, typed, element.type);
  };
  const common = {
    ...useField(placeholder),
    placeholder,
    value: words,
    maxLength: most,
    onInput: ({ currentTarget: { value } }: { currentTarget: { value: string } }): void => {
      if (tellsAt('on_character_entered')) keep(value);
      else surface.hold(key, value);
    },
    // What is taken away loses the focus too: nothing of it is kept.
    onBlur: ({ currentTarget }: { currentTarget: Node }): void =>
      queueMicrotask(() => {
        if (currentTarget.isConnected && kept.current !== words) keep(words);
      }),
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !tellsAt('on_enter_pressed')) return;
    event.preventDefault();
    keep(words);
  };
  const left = most - words.length;
  return (
    <>
      {multiline ? (
        <textarea rows={4} {...common} />
      ) : (
        <input type="text" inputMode={modes[element.type]} {...common} onKeyDown={onKeyDown} />
      )}
      {left < nearMost && <small class="left">{left} left</small>}
    </>
  );
}
