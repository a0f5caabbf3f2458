import { expect, it } from 'vitest';
import { firstDraft, questionOf } from '../../backstage/client/ask-draft.ts';

it('the request has what was entered in the form, and omits empty fields', () => {
  expect(questionOf(firstDraft)).toEqual({
    title: 'Deploy 4.2 to production',
    message: 'All checks are green. Shall it go out?',
    fields: { Environment: 'production' },
    requester: 'U0CLEO',
  });
  const bare = { ...firstDraft, message: 'none', fields: '', requester: '' } as const;
  expect(questionOf(bare)).toEqual({ title: 'Deploy 4.2 to production' });
});

it('fields are read one per line', () => {
  const fields = 'Version: 4.2\n Time : 10:30 \n: empty\nno colon\n\n';
  expect(questionOf({ ...firstDraft, fields })).toMatchObject({
    fields: { Version: '4.2', Time: '10:30', Note: 'no colon' },
  });
});
