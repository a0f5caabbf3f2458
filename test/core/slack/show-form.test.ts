import { expect, test } from 'vitest';
import { type FailureClass, RemoteFailure } from '../../../src/core/lib/failure.ts';
import { modal } from '../../../src/core/slack/modal-blocks.ts';
import type { Modals } from '../../../src/core/slack/modals.ts';
import type { Replies } from '../../../src/core/slack/replies.ts';
import { type FormDependencies, openForm, showIn } from '../../../src/core/slack/show-form.ts';
import { fake } from '../../support/fake.ts';

const VIEW = modal({ callbackId: 'a', title: 'Move', close: 'Close', blocks: [] });
const UNCONFIRMED =
  'Slack did not confirm that your form is shown. If you do not see it, or it still says "Loading…", try again.';
const OTHERWISE = 'The form could not be opened. Try again.';

/** Somebody whose form Slack does not open. @returns what they were told, and by which way. */
async function toldWithout(ways: {
  readonly responseUrl: 'accepted' | 'failing' | null;
  readonly failure?: FailureClass;
}) {
  const told: string[] = [];
  const fails = (operation: string) => {
    throw new RemoteFailure(operation, {
      class: ways.failure ?? 'refused',
      code: 'internal_error',
    });
  };
  const needs = {
    modals: { open: async () => fails('views.open'), update: async () => fails('views.update') },
    replies: {
      respondUrl: async (_url: string, { text }: { readonly text: string }) => {
        told.push(`response_url: ${text}`);
        if (ways.responseUrl === 'failing') fails('response_url');
      },
      ephemeral: async () => {},
      direct: async ({ text }: { readonly text: string }) => void told.push(`direct: ${text}`),
    },
    timers: {
      after: () => () => {},
      sleep: async () => {},
      deadline: () => new AbortController().signal,
    },
  };
  const responseUrl = ways.responseUrl === null ? null : 'https://hooks.slack.com/1';
  const viewer = { user: 'U0ANA', trigger: 't', responseUrl, otherwise: OTHERWISE };
  expect(await openForm(needs, viewer, VIEW)).toBeUndefined();
  return told;
}

test('a person whose form does not open is told in reply to the command', async () => {
  expect(await toldWithout({ responseUrl: 'accepted' })).toEqual([`response_url: ${OTHERWISE}`]);
  expect(await toldWithout({ responseUrl: null })).toEqual([`direct: ${OTHERWISE}`]);
});

test('a person is told by direct message when that reply fails', async () => {
  expect(await toldWithout({ responseUrl: 'failing' })).toEqual([
    `response_url: ${OTHERWISE}`,
    `direct: ${OTHERWISE}`,
  ]);
});

test('a person whose form may have opened is told only that', async () => {
  for (const failure of ['ambiguous', 'unreadable'] as const) {
    expect(await toldWithout({ responseUrl: 'accepted', failure })).toEqual([
      `response_url: ${UNCONFIRMED}`,
    ]);
  }
});

test.each([
  [['ambiguous', 'refused'], UNCONFIRMED],
  [['ambiguous', 'not-sent'], UNCONFIRMED],
  [['refused', 'ambiguous'], UNCONFIRMED],
  [['refused', 'refused'], OTHERWISE],
] as const)(
  'a form that is tried twice is reported by both failures: %j',
  async (failures, said) => {
    const told: string[] = [];
    const next = [...failures];
    const needs = fake<FormDependencies>({
      modals: fake<Modals>({
        update: async () => {
          throw new RemoteFailure('views.update', {
            class: next.shift() ?? 'unreadable',
            code: 'no',
          });
        },
      }),
      replies: fake<Replies>({
        respondUrl: async (_url: string, { text }: { readonly text?: string }) =>
          void told.push(String(text)),
      }),
    });
    const viewer = {
      user: 'U0ANA',
      responseUrl: 'https://hooks.slack.com/1',
      otherwise: OTHERWISE,
    };
    await showIn(needs, { id: 'V0' }, viewer, VIEW);
    expect(told).toEqual([said]);
  },
);
