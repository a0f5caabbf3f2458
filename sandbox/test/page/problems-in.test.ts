import { expect, it } from 'vitest';
import type { Held } from '../../page/client/elements/held.ts';
import { problemsIn } from '../../page/client/views/problems-in.ts';

const field = (element: object, more: object = {}) => ({
  type: 'input',
  block_id: 'b',
  label: { type: 'plain_text', text: 'Label' },
  element: { action_id: 'a', ...element },
  ...more,
});
const required = 'Please complete this required field.';

it.each<[string, object, Held | undefined, string | undefined]>([
  ['an empty text', { type: 'plain_text_input' }, '', required],
  ['an untouched text', { type: 'plain_text_input' }, undefined, required],
  [
    'a text that began filled',
    { type: 'plain_text_input', initial_value: 'x' },
    undefined,
    undefined,
  ],
  ['one that was emptied', { type: 'plain_text_input', initial_value: 'x' }, '', required],
  [
    'a short text',
    { type: 'plain_text_input', min_length: 3 },
    'ab',
    'Please write at least 3 characters.',
  ],
  ['nothing chosen', { type: 'static_select' }, [], required],
  ['something chosen', { type: 'static_select' }, [{ value: 'x', label: '' }], undefined],
  [
    'no address of mail',
    { type: 'email_text_input' },
    'ana',
    'Please enter a valid email address.',
  ],
  ['an address of mail', { type: 'email_text_input' }, 'ana@example.com', undefined],
  ['no address', { type: 'url_text_input' }, 'javascript:x', 'Please enter a valid URL.'],
  ['an address', { type: 'url_text_input' }, 'https://example.com', undefined],
  ['no number', { type: 'number_input', is_decimal_allowed: true }, 'x', 'Please enter a number.'],
  [
    'a part',
    { type: 'number_input', is_decimal_allowed: false },
    '1.5',
    'Please enter a whole number.',
  ],
  [
    'too little',
    { type: 'number_input', is_decimal_allowed: true, min_value: '2' },
    '1.5',
    'Please enter 2 or more.',
  ],
  ['enough', { type: 'number_input', is_decimal_allowed: true, min_value: '2' }, '2', undefined],
])('reports the problem with %s', (_what, element, held, problem) => {
  expect(problemsIn([field(element)], () => held).b).toBe(problem);
});

it('an optional value can be empty, but not invalid', () => {
  const optional = field({ type: 'url_text_input' }, { optional: true });
  expect(problemsIn([optional], () => '')).toEqual({});
  expect(problemsIn([optional], () => 'x')).toEqual({ b: 'Please enter a valid URL.' });
});
