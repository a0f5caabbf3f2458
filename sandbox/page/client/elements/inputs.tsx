import type {
  Checkboxes,
  Datepicker,
  DateTimepicker,
  EmailInput,
  FileInput as FileInputElement,
  NumberInput,
  PlainTextInput,
  RadioButtons,
  Timepicker,
  URLInput,
} from '@slack/types';
import { useContext, useId, useRef } from 'preact/hooks';
import { withEmoji } from '../text/emoji.ts';
import { Text } from '../text/mrkdwn.tsx';
import { useReader } from '../text/reader.ts';
import { localOf, secondsOf } from './date-time-local.ts';
import { FieldContext, useField, useFieldGroup } from './field.ts';
import { chosenIn, wordsIn } from './held.ts';
import { offerOf } from './option-list.ts';
import { useSurface } from './surface.ts';

type Words = PlainTextInput | EmailInput | URLInput | NumberInput;

const modes = {
  plain_text_input: 'text',
  email_text_input: 'email',
  url_text_input: 'url',
  number_input: 'decimal',
} as const;

/** An input shows how many characters are left from this many on. */
const nearMost = 100;

/** Text or a number. The workspace is told when the person leaves the field. */
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
    // A removed element loses the focus too; its text is discarded.
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

const kinds = { datepicker: 'date', timepicker: 'time', datetimepicker: 'datetime-local' } as const;
const names = { datepicker: 'Date', timepicker: 'Time', datetimepicker: 'Date and time' } as const;

/** A date, a time of day, or both, in the person's time zone. */
export function TimeInput({ element }: { element: Datepicker | Timepicker | DateTimepicker }) {
  const { timeZone } = useReader();
  const { surface, key, held } = useSurface(element);
  const field = useField(names[element.type]);
  const isMoment = element.type === 'datetimepicker';
  const value = chosenIn(held)[0]?.value ?? '';
  const enter = (typed: string): void => {
    const next = isMoment && typed !== '' ? String(secondsOf(typed, timeZone)) : typed;
    void surface.choose(key, next === '' ? [] : [{ value: next, label: '' }], element.type);
  };
  return (
    <input
      {...field}
      type={kinds[element.type]}
      value={isMoment && value !== '' ? localOf(Number(value), timeZone) : value}
      onChange={({ currentTarget }) => enter(currentTarget.value)}
    />
  );
}

/** Files by their names: their content stays on this machine. */
export function FileInput({ element }: { element: FileInputElement }) {
  const { surface, key, held } = useSurface(element);
  const { filetypes = [], max_files: most = 10 } = element;
  const attach = (files: FileList | null): void => {
    const chosen = [...(files ?? [])].map(({ name }) => ({ value: name, label: name }));
    void surface.choose(key, chosen, element.type);
  };
  return (
    <>
      <input
        {...useField('Files')}
        type="file"
        multiple={most > 1}
        accept={filetypes.map((filetype) => `.${filetype}`).join(',')}
        onChange={({ currentTarget }) => attach(currentTarget.files)}
      />
      <small>
        {chosenIn(held)
          .map(({ value }) => value)
          .join(', ')}
      </small>
    </>
  );
}

/** All options below each other, for one choice or several. */
export function ChoiceBoxes({ element }: { element: Checkboxes | RadioButtons }) {
  const { surface, key, held } = useSurface(element);
  const name = useId();
  const chosen = chosenIn(held);
  const isMany = element.type === 'checkboxes';
  const toggle = (option: (typeof element.options)[number], isOn: boolean): void => {
    const { value, label } = offerOf(option);
    const others = isMany ? chosen.filter((each) => each.value !== value) : [];
    void surface.choose(key, isOn ? [...others, { value, label }] : others, element.type);
  };
  return (
    <div class="choice-boxes" role={isMany ? 'group' : 'radiogroup'} {...useFieldGroup('Options')}>
      {element.options.map((option) => (
        <label key={option.value}>
          <input
            type={isMany ? 'checkbox' : 'radio'}
            name={name}
            checked={chosen.some(({ value }) => value === option.value)}
            onChange={({ currentTarget }) => toggle(option, currentTarget.checked)}
          />
          <span>
            <Text of={option.text} />
            {option.description && (
              <small>
                <Text of={option.description} />
              </small>
            )}
          </span>
        </label>
      ))}
    </div>
  );
}
