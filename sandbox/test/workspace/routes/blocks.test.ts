import { expect, it } from 'vitest';
import { liveWorkspace } from './live-workspace.ts';
import { proveMethods } from './prove-methods.ts';

const live = liveWorkspace();

const good = [{ type: 'section', text: { type: 'mrkdwn', text: 'Good' } }];
const bad = [...good, { type: 'header', text: { type: 'plain_text', text: 'x'.repeat(151) } }];
const title = { type: 'plain_text', text: 'A view' };
const validate = (given: object) => live.call('blocks.validate', { ...given });

proveMethods(live, {
  'blocks.validate': {
    works: () => ({ blocks: good }),
    optional: {
      async blocks() {
        expect(await validate({ blocks: good })).toMatchObject({ ok: true });
        expect(await validate({ blocks: bad })).toMatchObject({
          error: 'invalid_blocks',
          errors: [
            {
              pointer: '/1/text/text',
              code: 'failed_constraint',
              message: 'must be less than 151 characters',
            },
          ],
        });
      },
      async message() {
        expect(await validate({ message: { text: 'Good', blocks: good } })).toMatchObject({
          ok: true,
        });
        expect(await validate({ message: { blocks: bad } })).toMatchObject({
          errors: [{ pointer: '/blocks/1/text/text' }],
        });
      },
      async view() {
        const view = { type: 'modal', title, blocks: good };
        expect(await validate({ view })).toMatchObject({ ok: true });
        expect(await validate({ view: { ...view, blocks: bad } })).toMatchObject({
          errors: [{ pointer: '/blocks/1/text/text' }],
        });
      },
    },
    errors: {
      invalid_blocks: () => validate({ blocks: bad }),
      invalid_message: () => validate({ message: { blocks: bad } }),
      invalid_view: () => validate({ view: { type: 'modal', title, blocks: bad } }),
    },
  },
});

it.each([{}, { blocks: good, message: { blocks: good } }])(
  'needs exactly one of blocks, message and view: %j',
  async (given) => {
    expect(await validate(given)).toMatchObject({ error: 'invalid_arguments' });
  },
);
