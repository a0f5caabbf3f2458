import type { ModalView } from '@slack/types';
import { expect, it, vi } from 'vitest';
import { RemoteFailure } from '../../../src/core/lib/failure.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import type { Directory } from '../../../src/core/people/directory.ts';
import type { Listeners } from '../../../src/core/slack/listeners.ts';
import type { Lookup } from '../../../src/core/slack/lookup.ts';
import type { Modals } from '../../../src/core/slack/modals.ts';
import type { Replies } from '../../../src/core/slack/replies.ts';
import type { Store } from '../../../src/core/store/store.ts';
import { refusalSentence, WORDS } from '../../../src/operations/test-cases/sentences.ts';
import { listenToTestCases } from '../../../src/operations/test-cases/slack.ts';
import { coreWith } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';
import { slackPerson } from '../../support/slack-person.ts';
import { withResolvers } from '../../support/with-resolvers.ts';

/** Somebody types `/new-case Pay`. Slack says nothing of the modal and the person until the test lets it. */
function typed({ who = ['U0ANA'], opens = true } = {}) {
  const happened: string[] = [];
  const shown: string[] = [];
  const told: string[] = [];
  const [modal, person] = [withResolvers(), withResolvers()];
  const core = coreWith({
    config: {
      catalogue: {
        testProjects: [{ id: 'tp1', name: 'Checkout', space: 'eng', suites: [] }],
      },
      cases: { who: { users: who, groups: [], channel: false }, identity: 'omit' },
    },
    timing: TRUE_TIME,
    ages: { monotonic: () => 0 },
    timers: {
      after: () => () => {},
      sleep: async () => {},
      deadline: () => new AbortController().signal,
    },
    workspace: { team: 'T0ACME', enterprise: null, teams: [] },
    directory: fake<Directory>({
      readAhead() {},
      serviceUserFor: async () => ({
        identity: { kind: 'linked', userId: 'u1', active: true },
        address: 'ana@example.com',
        account: null,
        alsoKnownAs: [],
      }),
    }),
    lookup: fake<Lookup>({
      async person() {
        happened.push('person asked');
        await person.promise;
        return slackPerson();
      },
    }),
    store: fake<Store>({
      get: async () => undefined,
      async writeAudit({ action }) {
        happened.push(action);
        return '0-a';
      },
    }),
    modals: fake<Modals>({
      async open(_, view) {
        happened.push('modal asked');
        shown.push(JSON.stringify(view));
        await modal.promise;
        if (!opens) {
          throw new RemoteFailure('views.open', { class: 'refused', code: 'internal_error' });
        }
        return { id: 'V1' };
      },
      async update(open: { readonly id: string }, view: ModalView) {
        happened.push('modal changed');
        shown.push(JSON.stringify(view));
        return open;
      },
    }),
    replies: fake<Replies>({
      respondUrl: async (_, { text }) => void told.push(String(text)),
    }),
  });
  const commands: ((args: never) => Promise<void>)[] = [];
  const nothing = () => {};
  const listeners = {
    ...{ shortcut: nothing, action: nothing, options: nothing, view: nothing },
    command: (_: string, listener: (args: never) => Promise<void>) => void commands.push(listener),
  };
  listenToTestCases(fake<Listeners>(listeners as Partial<Listeners>), core); // as: only the command is used
  const command = {
    ...{ user_id: 'U0ANA', channel_id: 'C0', trigger_id: 't', text: 'Pay' },
    response_url: 'https://hooks.example/1',
  };
  const ack = async () => void happened.push('acknowledged');
  const done = commands[0]?.({ command, ack } as never); // as: no more of it is read
  return { happened, shown, told, modal, person, done };
}

it('the person is looked up while Slack opens the modal; the form appears once both are done', async () => {
  const { happened, shown, modal, person, done } = typed();
  const asked = ['acknowledged', 'modal asked', 'person asked'];
  await vi.waitUntil(() => happened.length === asked.length);
  expect(happened).toEqual(asked);
  expect(shown).toEqual([expect.stringContaining('Loading…')]);
  modal.resolve();
  await new Promise(setImmediate);
  expect(shown).toHaveLength(1);
  person.resolve();
  await done;
  expect(happened).toEqual([...asked, 'modal changed']);
  expect(shown[1]).toContain('"initial_value":"Pay"');
});

it('the form does not appear before the modal is open', async () => {
  const { happened, shown, modal, person, done } = typed();
  person.resolve();
  await vi.waitUntil(() => happened.includes('person asked'));
  await new Promise(setImmediate);
  expect(shown).toHaveLength(1);
  modal.resolve();
  await done;
  expect(shown).toHaveLength(2);
});

it('a refusal appears in the same modal, without the form', async () => {
  const { happened, shown, modal, person, done } = typed({ who: ['U0BEN'] });
  modal.resolve();
  person.resolve();
  await done;
  expect(happened.slice(-2)).toEqual(['test-cases.refused', 'modal changed']);
  expect(shown[1]).toContain(refusalSentence('not-named'));
  expect(shown.join()).not.toContain('Checkout');
});

it('a modal that does not open is reported, whatever the lookup finds', async () => {
  for (const who of [['U0ANA'], ['U0BEN']]) {
    const { happened, told, modal, person, done } = typed({ who, opens: false });
    modal.resolve();
    person.resolve();
    await done;
    expect(told).toEqual([WORDS.notOpened]);
    expect(happened).not.toContain('modal changed');
  }
});
