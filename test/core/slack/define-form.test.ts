import { expect, test } from 'vitest';
import * as z from 'zod';
import { defineForm } from '../../../src/core/slack/form.ts';

const NOTE_FORM = defineForm({
  id: 'notes.form',
  title: ({ about }) => `About ${about}`,
  carried: z.strictObject({ about: z.string(), round: z.number().exactOptional() }),
});
const view = NOTE_FORM.view({ about: 'it', round: 2 }, { submit: 'Keep', blocks: [] });

test('a form is shown with its title and its data', () => {
  expect(view).toMatchObject({
    callback_id: 'notes.form',
    title: { text: 'About it' },
    submit: { text: 'Keep' },
    close: { text: 'Cancel' },
  });
  const read = NOTE_FORM.view({ about: 'it' }, { close: 'Close', blocks: [] });
  expect(read).toMatchObject({ close: { text: 'Close' } });
  expect(read).not.toHaveProperty('submit');
});

test('the data of a form is read back', () => {
  const metadata = view.private_metadata ?? '';
  expect(NOTE_FORM.carriedIn({ metadata })).toEqual({ about: 'it', round: 2 });
});

test.each(['', 'null', '{}', '{"about":1}', '{"about":"it","more":1}'])(
  'data of another form (%s) is refused',
  (metadata) => {
    expect(() => NOTE_FORM.carriedIn({ metadata })).toThrow();
  },
);
