import { expect, it } from 'vitest';
import type { Core } from '../../../src/core/core.ts';
import { systemRandom } from '../../../src/core/lib/random.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import type { Directory } from '../../../src/core/people/directory.ts';
import type { Lookup } from '../../../src/core/slack/lookup.ts';
import type { Modals } from '../../../src/core/slack/modals.ts';
import { type Store, StoreError } from '../../../src/core/store/store.ts';
import { NOT_STORED } from '../../../src/operations/flow/words.ts';
import {
  submitDestination,
  submitEntry,
  submitMapping,
  submitReference,
} from '../../../src/operations/tasks/answer-form.ts';
import { LINES, REFERENCE } from '../../../src/operations/tasks/begin-views.ts';
import { PROJECT } from '../../../src/operations/tasks/destination-form.ts';
import type { Places } from '../../../src/operations/tasks/destinations.ts';
import { firstStatusBlock } from '../../../src/operations/tasks/mapping-view.ts';
import { coreWith } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';
import { slackPerson } from '../../support/slack-person.ts';
import { draftOf, NOW } from './moves.ts';

const project = (id: string) => ({
  id,
  name: id,
  space: null,
  slug: null,
  statuses: [{ id: 'todo', name: 'To do' }],
  types: [],
});
const places: Places = {
  catalogue: { projects: [project('ops'), project('web')] },
  move: {
    source: 'http',
    who: { users: ['U0ANA'], groups: [], channel: false },
    projects: [],
    identity: 'omit',
    rules: [],
    announce: true,
  },
  links: { task: null },
};
const ANA = slackPerson({ email: null });

interface Options {
  readonly isAway?: boolean;
  /** When Slack tells who she is. */
  readonly person?: Promise<typeof ANA>;
}

const timers = {
  ...systemTimers,
  sleep: async () => {
    // Longer than everything that is known already.
    for (let slot = 0; slot < 50; slot += 1) await null;
  },
};

function needsWith({ isAway = false, person = Promise.resolve(ANA) }: Options) {
  const shown: unknown[] = [];
  const { target: _, ...draft } = draftOf();
  const away = () => Promise.reject(new StoreError('unavailable', 'the store is away'));
  const needs = coreWith({
    config: places,
    random: { ...systemRandom, uuid: () => 'next' },
    store: fake<Store>({
      now: () => NOW,
      get: async (key: string) => (key === 'tasks.draft:d' ? JSON.stringify(draft) : undefined),
      put: isAway ? away : async () => {},
      create: away,
    }),
    timing: TRUE_TIME,
    workspace: { team: 'T0ACME', enterprise: null, teams: [] },
    lookup: fake<Lookup>({ person: () => person }),
    ages: { monotonic: () => 0 },
    directory: fake<Directory>({
      readAhead() {},
      serviceUserFor: async () => ({
        identity: { kind: 'none' },
        address: null,
        account: null,
        alsoKnownAs: [],
      }),
    }),
    modals: fake<Modals>({
      async update(modal, view) {
        shown.push(view);
        return modal;
      },
    }),
    timers,
  });
  return { shown, needs };
}

const formWith = (values: Readonly<Record<string, string>>) => ({
  id: 'V1',
  hash: 'h1',
  callback: '',
  metadata: '{"draft":"d"}',
  values: new Map(Object.entries(values)),
});
const ENTRY = '6f1c4e52-0a1b-4c2d-8e3f-1a2b3c4d5e6f 2030-01-01T10:00:00Z open';

it.each([
  ['the item that was entered', submitEntry, { [LINES]: ENTRY }, LINES],
  ['the destination that was chosen', submitDestination, { [PROJECT]: 'web' }, PROJECT],
] as const)('%s stays in the form if it cannot be stored', async (_, submit, values, block) => {
  const { needs } = needsWith({ isAway: true });
  expect((await submit(needs, formWith(values), 'U0ANA')).ack).toEqual({
    response_action: 'errors',
    errors: { [block]: NOT_STORED },
  });
});

it('the chosen statuses stay in the form if they cannot be read', async () => {
  const { needs } = needsWith({});
  const broken = {
    ...needs,
    store: {
      ...needs.store,
      get: () => Promise.reject(new StoreError('unavailable', 'the store is away')),
    },
  };
  const block = firstStatusBlock('d');
  expect((await submitMapping(broken, formWith({}))).ack).toEqual({
    response_action: 'errors',
    errors: { [block]: NOT_STORED },
  });
});

it('the form is acknowledged while the person is still being looked up', async () => {
  let tell: (person: typeof ANA) => void = () => {};
  const person = new Promise<typeof ANA>((resolve) => {
    tell = resolve;
  });
  const { needs, shown } = needsWith({ person });
  const answered = await submitDestination(needs, formWith({ [PROJECT]: 'web' }), 'U0ANA');
  expect(JSON.stringify(answered.ack)).toContain('Loading…');
  tell(ANA);
  await answered.later?.();
  expect(JSON.stringify(shown)).toContain('What should each status become');
});

it('the item typed into the form stays there if nothing can be read', async () => {
  const away = () => Promise.reject(new StoreError('unavailable', 'the store is away'));
  const { needs } = needsWith({ person: Promise.resolve({ ...ANA, deleted: true }) });
  const store = fake<Store>({ ...needs.store, create: away, writeAudit: away });
  const form = {
    ...formWith({ [REFERENCE]: 'OPS-12' }),
    metadata: '{"channel":"C0DEPLOYS","wanted":null}',
  };
  const broken = fake<Core>({ ...needs, store });
  const text = JSON.stringify((await submitReference(broken, form, 'U0ANA')).ack);
  expect(text).toContain(NOT_STORED);
  expect(text).toContain('"initial_value":"OPS-12"');
});
