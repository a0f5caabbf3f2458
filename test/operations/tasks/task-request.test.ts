import { expect, it } from 'vitest';
import { taskRequest } from '../../../src/operations/tasks/task-request.ts';

const root = { id: 'root', status: 's', updatedAt: '2030-01-01T10:00:00Z' };

/** An item with that many levels in total. */
function nested(levels: number): unknown {
  const opened = Array.from(
    { length: levels - 1 },
    (_, at) => `{"id":"${at}","status":"s","subItems":[`,
  );
  const below = `${opened.join('')}${']}'.repeat(levels - 1)}`;
  return { ...root, subItems: JSON.parse(`[${below}]`) };
}

it('accepts 50 levels of sub-items', () => {
  expect(taskRequest.safeParse(nested(50)).success).toBe(true);
});

it.each([51, 1_700])('refuses %i levels, with the limit', (levels) => {
  expect(taskRequest.safeParse(nested(levels)).error?.issues).toMatchObject([
    { path: ['subItems'], message: 'must be at most 50 levels deep' },
  ]);
});

it.each([null, 'text', 7, [], { subItems: 'none' }])('refuses %j', (body) => {
  expect(taskRequest.safeParse(body).success).toBe(false);
});

it('refuses an id that occurs twice, at any depth', () => {
  const twice = {
    ...root,
    subItems: [{ id: 'a', status: 's', subItems: [{ id: 'root', status: 's' }] }],
  };
  expect(taskRequest.safeParse(twice).error?.issues).toMatchObject([{ path: ['subItems'] }]);
});

it.each([
  '2030-01-01T10:00:00+0100',
  '2030-01-01T10:00',
  '20300101T100000Z',
  '2030-01-01T10:00:00.1234567890123Z',
])('keeps the time %s unchanged', (updatedAt) => {
  expect(taskRequest.parse({ ...root, updatedAt }).updatedAt).toBe(updatedAt);
});

it.each(['yesterday', '2030-01-01', '2030-02-30T10:00:00Z', 1_893_492_000])(
  'refuses the time %j',
  (updatedAt) => {
    expect(taskRequest.safeParse({ ...root, updatedAt }).error?.issues).toMatchObject([
      { path: ['updatedAt'] },
    ]);
  },
);
