import { expect, test } from 'vitest';
import {
  beginningOf,
  OVERVIEW,
  pageAfter,
  pageBefore,
  readView,
  writeView,
} from '../../../../src/approvals/ways-in/list/view.ts';

test('a view survives a round trip through a button value', () => {
  for (const view of [OVERVIEW, { section: 'asked', trail: ['1_0-a', '2_0-b'] } as const]) {
    expect(readView(writeView(view))).toEqual(view);
  }
  expect(readView('waiting')).toEqual({ section: 'waiting', trail: [] });
});

test('an invalid button value means the overview', () => {
  for (const value of ['', 'nonsense 1_0-a', 'both 1_0-a']) expect(readView(value)).toBe(OVERVIEW);
});

test('the next and previous pages are inverse', () => {
  const second = pageAfter(OVERVIEW, 'waiting', 'a');
  const third = pageAfter(second, 'waiting', 'b');
  expect(third).toEqual({ section: 'waiting', trail: ['a', 'b'] });
  expect([OVERVIEW, second, third].map(beginningOf)).toEqual([undefined, 'a', 'b']);
  expect(pageBefore(third)).toEqual(second);
  expect(pageBefore(second)).toEqual({ section: 'waiting', trail: [] });
  expect(pageBefore({ section: 'waiting', trail: [] })).toBeUndefined();
  expect(pageBefore(OVERVIEW)).toBeUndefined();
});

test('the button value stays within Slack’s limit on any page', () => {
  let view = OVERVIEW;
  for (let i = 0; i < 200; i += 1)
    view = pageAfter(view, 'asked', `${'9'.repeat(16)}_63-${'x'.repeat(16)}`);
  expect(writeView(view).length).toBeLessThanOrEqual(2_000);
});
