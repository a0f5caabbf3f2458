import type { ModalView } from '@slack/types';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { APPROVAL_KIND, type Approval, placeOf } from '../../../../src/approvals/approval.ts';
import { listsOf } from '../../../../src/approvals/decision/lists-of.ts';
import { digestOf } from '../../../../src/approvals/digest.ts';
import { encodeApproval } from '../../../../src/approvals/stored-approval.ts';
import { HOME_KIND } from '../../../../src/approvals/tell/refresh-home.ts';
import { SELECT_ACTIONS } from '../../../../src/approvals/ways-in/list/home-view.ts';
import { listenToSeveral } from '../../../../src/approvals/ways-in/list/several.ts';
import { SEVERAL_KIND } from '../../../../src/approvals/ways-in/list/several-flow.ts';
import type { Route } from '../../../../src/core/config/config.ts';
import type { Core } from '../../../../src/core/core.ts';
import { RemoteFailure } from '../../../../src/core/lib/failure.ts';
import { systemRandom } from '../../../../src/core/lib/random.ts';
import { systemTimers } from '../../../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../../../src/core/lib/timing.ts';
import type { ActionArgs, Listeners, SubmitArgs } from '../../../../src/core/slack/listeners.ts';
import type { Lookup } from '../../../../src/core/slack/lookup.ts';
import type { Modals, OpenModal } from '../../../../src/core/slack/modals.ts';
import { type Held, StoreError } from '../../../../src/core/store/store.ts';
import { openMemoryWorld } from '../../../core/store/memory-world.ts';
import type { StoreWorld } from '../../../core/store/store-world.ts';
import { coreWith, NO_BOX } from '../../../support/core-with.ts';
import { fake } from '../../../support/fake.ts';
import { personOf } from '../../../support/slack-person.ts';
import { textsOf } from '../../../support/world.ts';
import { approvalWith, routeWith } from '../../approvals.ts';

const NONE = 'Nothing left to decide here. Press *Refresh* on the Home tab.';
const NOT_READ = 'Gatepost could not read your requests just now. Try again in a minute.';
const ANA = { ...personOf('U0ANA'), timeZone: 'Europe/Zurich' };
/** When the button was pressed. */
const PRESSED_S = 1_790_000_000;
/** A press of which Slack does not say when it was. */
const UNTIMED = { type: 'button', action_id: SELECT_ACTIONS[0], value: 'production' };

let world: StoreWorld;
beforeEach(async () => {
  world = await openMemoryWorld();
});
afterEach(() => world[Symbol.asyncDispose]());

/** Ana's routes; what happens is noted in order. */
function stageOf(change: Partial<Route> = {}) {
  const [store] = world.stores;
  const happened: string[] = [];
  const views: ModalView[] = [];
  /** The hash that each update was for. */
  const updated: (string | undefined)[] = [];
  const held: Held[] = [];
  const reviewers = { users: ['U0ANA'], groups: [], channel: false };
  const routes = [
    routeWith({ reviewers, several: true, ...change }),
    routeWith({ reviewers, several: true, name: 'staging' }),
    routeWith({ reviewers, name: 'one-by-one' }),
    routeWith({ reviewers, several: true, name: 'careful', confirm: true }),
  ];
  const shown = (view: ModalView): void => {
    views.push(view);
    happened.push(`${view.callback_id}: ${textsOf(view.blocks)[0]}`);
  };
  const modals: Modals = {
    async open(trigger, view) {
      happened.push(`opened by ${trigger}`);
      shown(view);
      return { id: 'V1', hash: 'h0' };
    },
    async update({ id, hash }, view): Promise<OpenModal> {
      updated.push(hash);
      shown(view);
      return { id, hash: `h${updated.length}` };
    },
  };
  const told = ({ user, text }: { readonly user: string; readonly text: string }) =>
    void happened.push(`${user} reads: ${text}`);
  const core = coreWith({
    ...{
      store,
      modals,
      box: NO_BOX,
      random: systemRandom,
      timers: systemTimers,
      timing: TRUE_TIME,
    },
    config: { routes, administrators: { users: [], groups: [] } },
    workspace: { team: 'T0', enterprise: null, teams: [] },
    reconciler: {
      hasRoom: true,
      async run(one: Held) {
        held.push(one);
        happened.push(`works on ${one.record.kind}`);
      },
    },
    lookup: fake<Lookup>({
      lastSeen: (id) => [ANA, personOf('U0CLEO')].find((each) => each.id === id),
      recent: fake<Lookup['recent']>({ person: async (id) => personOf(id) }),
    }),
    replies: fake<Core['replies']>({ direct: async (reply) => told(reply) }),
  });
  const ask = async (title: string, more: Partial<Approval> = {}) => {
    const approval = approvalWith({ title, createdAt: store.now(), ...more });
    const record = {
      ...{ kind: APPROVAL_KIND, data: encodeApproval(approval), place: placeOf(approval) },
      ...{ lane: 'background' as const, dueInMs: 3_600_000, lists: listsOf(approval) },
    };
    const created = await store.create(record, { hold: false });
    await world.pass(1);
    return { id: created.kind === 'created' ? created.id : '', digest: digestOf(approval) };
  };
  return { ...{ core, happened, views, updated, held, ask }, ...listeners(core, happened) };
}

/** As Slack calls them. */
function listeners(core: Core, happened: string[]) {
  const actions = new Map<string, (args: ActionArgs) => Promise<void>>();
  const forms = new Map<string, (args: SubmitArgs) => Promise<void>>();
  listenToSeveral(
    fake<Listeners>({
      action: (id, listener) => void actions.set(id, listener),
      view: (id, listener) => void forms.set(id, listener),
    }),
    core,
  );
  const press = async (action: string, value: string, view?: object, more: object = {}) => {
    const body = {
      ...{ type: 'block_actions', user: { id: 'U0ANA' }, trigger_id: 't', view },
      actions: [{ type: 'button', action_id: action, value, action_ts: `${PRESSED_S}.5` }],
      ...more,
    };
    const ack = async () => void happened.push('acknowledged');
    // as: no listener reads more
    await actions.get(action)?.({ body, ack } as unknown as ActionArgs);
  };
  const submit = async (view: object, more: object = {}, trigger = 't2') => {
    const answers: object[] = [];
    const body = { user: { id: 'U0ANA' }, trigger_id: trigger, view };
    const ack = async (answer: object) => {
      answers.push(answer);
      happened.push('acknowledged');
    };
    // as: no listener reads more
    const args = { body, view, ack, context: {}, ...more } as unknown as SubmitArgs;
    await forms.get('approvals.several')?.(args);
    return answers;
  };
  const select = (value = 'production', more = {}) =>
    press('approvals.home.select.0', value, undefined, more);
  return { actions, forms, press, submit, select };
}

interface Entered {
  readonly picked?: readonly number[];
  readonly decision?: string;
  readonly reason?: string;
}

/** The form as it comes back, with what was entered. */
function sent(view: ModalView | undefined, entered: Entered = {}, ids = {}): object {
  const { picked = [], decision, reason } = entered;
  const all = (view?.blocks ?? []).map((block, at) => ({
    ...block,
    block_id: block.block_id ?? `b${at}`,
  }));
  const rows = all.map(({ block_id }) => block_id).filter((id) => id.includes('.several.row.'));
  const one = (id: string, value: object) => [id, { [id]: value }] as const;
  const values = Object.fromEntries([
    ...picked.map((at) => one(rows[at] ?? '', { selected_options: [{ value: 'yes' }] })),
    ...(decision === undefined
      ? []
      : [one('approvals.several.decision', { selected_option: { value: decision } })]),
    ...(reason === undefined ? [] : [one('approvals.several.reason', { value: reason })]),
  ]);
  const { callback_id, private_metadata } = view ?? {};
  return {
    ...{ id: 'V1', hash: 'h0', callback_id, private_metadata, blocks: all, state: { values } },
    ...ids,
  };
}

type Stage = ReturnType<typeof stageOf>;

/** The form with requests of these titles. */
async function formOf(stage: Stage, titles: readonly string[] = ['Deploy 1', 'Deploy 2']) {
  const asked = [];
  for (const title of titles) asked.push(await stage.ask(title));
  await stage.select();
  const form = stage.views.at(-1);
  stage.happened.length = 0;
  stage.updated.length = 0;
  return { asked, form };
}

const errorAt = (input: string, sentence: string) => [
  { response_action: 'errors', errors: { [`approvals.several.${input}`]: sentence } },
];

describe('the form for several requests', () => {
  test('is opened by each of the buttons, and loads while it is open', async () => {
    const stage = stageOf();
    await stage.ask('Deploy 1');
    for (const action of SELECT_ACTIONS) {
      stage.happened.length = 0;
      await stage.press(action, 'production');
      expect(stage.happened).toEqual([
        'acknowledged',
        'opened by t',
        'approvals.several.none: Loading…',
        'approvals.several: Select all',
      ]);
    }
    expect(stage.updated).toEqual(SELECT_ACTIONS.map(() => 'h0'));
    const [loading] = stage.views;
    expect(loading?.title.text).toBe('Several requests');
  });

  test('offers what waits on its route, carries what was shown of it, and says what it leaves out', async () => {
    const stage = stageOf();
    const first = await stage.ask('Deploy 1', { requester: { user: 'U0CLEO' } });
    await stage.ask('Elsewhere', { route: 'staging' });
    await stage.ask('Too much to show', { change: '+ 1' });
    const second = await stage.ask('Deploy 2', {
      round: 'r2',
      requester: { user: 'U0EVE', name: 'Eve' },
    });
    await stage.select();
    const form = stage.views.at(-1);
    expect(form?.submit?.text).toBe('Send decisions');
    expect(JSON.parse(form?.private_metadata ?? '')).toEqual({
      route: 'production',
      rows: [
        [first.id, 'C0PROD', first.digest],
        [second.id, 'C0PROD', `${second.digest}.r2`],
      ],
    });
    const text = textsOf(form?.blocks ?? []).join('\n');
    expect(text).toMatch(/Deploy 1\n.* · asked by U0CLEO\n.*Deploy 2\n.* · asked by Eve\n/s);
    expect(text).toContain('1 more on this route is not listed here.');
  });

  test('shows times where the person is, and keeps when its button was pressed', async () => {
    const stage = stageOf();
    await stage.ask('Deploy 1', { expiresAt: Date.parse('2026-11-28T09:05:00Z') });
    await stage.select();
    const [head, row] = stage.views.at(-1)?.blocks ?? [];
    expect(head?.block_id).toBe(`approvals.reason.opened.${PRESSED_S * 1_000 + 500}`);
    expect(textsOf(row).at(-1)).toBe('Deadline Sat 28 Nov, 10:05');
    stage.core.lookup.lastSeen = () => undefined;
    await stage.select('production', { actions: [UNTIMED] });
    const [unknown, later] = stage.views.at(-1)?.blocks ?? [];
    expect(unknown?.block_id).toBe('approvals.several.head');
    expect(textsOf(later).at(-1)).toBe('Deadline Sat 28 Nov, 09:05 UTC');
  });

  test.each([
    ['waits', 'production', []],
    ['is shown whole', 'production', [{ change: '+ 1' }]],
    ['may be decided together', 'one-by-one', [{ route: 'one-by-one' }]],
    ['has a route', 'gone', [{ route: 'gone' }]],
    ['takes one press', 'careful', [{ route: 'careful' }]],
  ])('says so if nothing there %s', async (_what, route, asked) => {
    const stage = stageOf();
    for (const more of asked) await stage.ask('Deploy 1', more);
    await stage.select(route);
    expect(stage.happened.at(-1)).toBe(`approvals.several.none: ${NONE}`);
  });

  test.each([
    ['the store', new StoreError('unavailable', 'away')],
    ['Slack', new RemoteFailure('users.info', { class: 'ambiguous', code: 'timeout' })],
  ])('says so if %s does not answer', async (_what, failure) => {
    const stage = stageOf();
    await stage.ask('Deploy 1');
    stage.core.store.list = () => Promise.reject(failure);
    await stage.select();
    expect(stage.happened.at(-1)).toBe(`approvals.several.none: ${NOT_READ}`);
    stage.core.store.list = () => Promise.reject(new TypeError('a mistake'));
    await expect(stage.select()).rejects.toThrow('a mistake');
  });

  test('that cannot be opened is explained to the person', async () => {
    const stage = stageOf();
    const failure = new RemoteFailure('views.open', { class: 'refused', code: 'internal_error' });
    stage.core.modals.open = () => Promise.reject(failure);
    await stage.select('production', { response_url: 'https://hooks.slack.com/1' });
    expect(stage.happened).toEqual([
      'acknowledged',
      'U0ANA reads: The requests could not be shown. Press *Select…* again.',
    ]);
  });
});

const PICK = 'approvals.several.pick';
const ALL = 'approvals.several.all';

describe('a selection in it', () => {
  test('is counted, and the form carries and sends the same as before', async () => {
    const stage = stageOf();
    const { form } = await formOf(stage);
    await stage.press(PICK, '', sent(form, { picked: [1] }));
    expect(stage.happened).toEqual(['acknowledged', 'approvals.several: Select all']);
    const next = stage.views.at(-1);
    expect(textsOf(next?.blocks ?? [])).toContain('Decision for the 1 selected');
    expect(next).toMatchObject({
      private_metadata: form?.private_metadata,
      submit: { text: 'Send decisions' },
    });
  });

  test('of all ticks every row', async () => {
    const stage = stageOf();
    const { form } = await formOf(stage);
    await stage.press(ALL, 'all', sent(form));
    const next = stage.views.at(-1);
    expect(textsOf(next?.blocks ?? [])).toContain('Decision for the 2 selected');
    expect(JSON.stringify(next).match(/initial_options/g)).toHaveLength(2);
  });

  test('that was made before the last one was shown changes what is shown now', async () => {
    const stage = stageOf();
    const { form } = await formOf(stage);
    const pick = (hash: string, id = 'V1') =>
      stage.press(PICK, '', sent(form, { picked: [0] }, { hash, id }));
    await Promise.all([pick('h0'), pick('h0')]);
    expect(stage.updated).toEqual(['h0', 'h1']);
    await pick('h1');
    expect(stage.updated.at(-1)).toBe('h2');
    await pick('another');
    expect(stage.updated.at(-1)).toBe('another');
    await pick('h0', 'V2');
    expect(stage.updated.at(-1)).toBe('h0');
  });

  test('that was made before all were ticked or cleared does not bring the old boxes back', async () => {
    const stage = stageOf();
    const { form } = await formOf(stage);
    const pick = (hash: string) => stage.press(PICK, '', sent(form, { picked: [0] }, { hash }));
    await pick('h0');
    await stage.press(ALL, 'all', sent(form, {}, { hash: 'h1' }));
    await pick('h0');
    await pick('h2');
    expect(stage.updated).toEqual(['h0', 'h1', 'h0', 'h3']);
  });

  test('that Slack does not show leaves the form as it was', async () => {
    const stage = stageOf();
    const { form } = await formOf(stage);
    const pick = () => stage.press(PICK, '', sent(form, { picked: [0] }));
    await pick();
    const { update } = stage.core.modals;
    let failure: Error = new RemoteFailure('views.update', { class: 'refused', code: 'not_found' });
    stage.core.modals.update = async () => Promise.reject(failure);
    await pick();
    stage.core.modals.update = async ({ id }) => ({ id });
    await pick();
    stage.core.modals.update = update;
    await pick();
    expect(stage.updated).toEqual(['h0', 'h1']);
    failure = new TypeError('a mistake');
    stage.core.modals.update = async () => Promise.reject(failure);
    await expect(pick()).rejects.toThrow('a mistake');
    stage.core.modals.update = update;
    await pick();
    expect(stage.updated).toEqual(['h0', 'h1', 'h0']);
  });

  test('whose number is not shown is explained to the person', async () => {
    const stage = stageOf();
    const { form } = await formOf(stage);
    const failure = new RemoteFailure('views.update', { class: 'refused', code: 'internal_error' });
    stage.core.modals.update = () => Promise.reject(failure);
    await stage.press(PICK, '', sent(form));
    expect(stage.happened).toEqual([
      'acknowledged',
      'U0ANA reads: Gatepost could not update your form. The requests that are ticked in it are the ones you decide.',
    ]);
  });

  test('is remembered for the last thousand forms', async () => {
    const stage = stageOf();
    const { form } = await formOf(stage);
    const pick = async (id: string) => {
      await stage.press(PICK, '', sent(form, {}, { id }));
      return stage.updated.at(-1);
    };
    const others = async (from: number, count: number) => {
      for (let at = 0; at < count; at += 1) await pick(`V${from + at}`);
    };
    await pick('first');
    await others(0, 999);
    expect(await pick('first')).toBe('h1');
    // The first one was used again, so another is the oldest.
    await others(1_000, 999);
    expect(await pick('first')).toBe('h1001');
    await others(2_000, 1_000);
    expect(await pick('first')).toBe('h0');
  });
});

describe('several decisions', () => {
  test('are recorded with what was ticked, before Slack is acknowledged, and then carried out', async () => {
    const stage = stageOf();
    const { asked, form } = await formOf(stage, ['Deploy 1', 'Deploy 2', 'Deploy 3']);
    const { store } = stage.core;
    const create = store.create.bind(store);
    const audits: unknown[] = [];
    store.create = (record, options) => {
      stage.happened.push(`stores ${record.kind}`);
      if (record.kind === SEVERAL_KIND) audits.push(record.audit);
      return create(record, options);
    };
    const [answer] = await stage.submit(sent(form, { picked: [0, 2], decision: 'approve' }));
    expect(stage.happened).toEqual([
      `stores ${SEVERAL_KIND}`,
      'acknowledged',
      `works on ${SEVERAL_KIND}`,
      `stores ${HOME_KIND}`,
      `works on ${HOME_KIND}`,
    ]);
    expect(answer).toMatchObject({ response_action: 'update' });
    expect(textsOf(answer).join('\n')).toMatch(/Deploy 1.*Deploy 3/s);
    const [several, home] = stage.held.map(({ record }) => JSON.parse(record.data));
    expect(several).toMatchObject({ user: 'U0ANA', action: 'approve', view: 'V1' });
    expect(several).not.toHaveProperty('reason');
    expect(several.at).toBeCloseTo(store.now(), -4);
    expect(several.rows).toEqual([
      { ...asked[0], channel: 'C0PROD', title: 'Deploy 1' },
      { ...asked[2], channel: 'C0PROD', title: 'Deploy 3' },
    ]);
    expect(home).toMatchObject({ user: 'U0ANA', choice: { route: 'production', pages: {} } });
    const facts = { route: 'production', action: 'approve', count: 2 };
    expect(audits).toEqual([
      [{ action: 'approvals.several', record: null, actor: 'U0ANA', facts }],
    ]);
  });

  test('that are delivered again are carried out once', async () => {
    const stage = stageOf();
    const { form } = await formOf(stage);
    const view = sent(form, { picked: [0], decision: 'reject' });
    await stage.submit(view);
    await stage.submit(view);
    const kinds = () => stage.held.map(({ record }) => record.kind).filter((k) => k !== HOME_KIND);
    expect(kinds()).toEqual([SEVERAL_KIND]);
    await stage.submit(view, {}, 'another trigger');
    await stage.submit({ ...view, id: 'V2' });
    await stage.submit(view, { body: { user: { id: 'U0BEN' }, trigger_id: 't2' } });
    expect(kinds()).toHaveLength(4);
  });

  test.each<[string, object, object]>([
    ['when the request was sent', { sentAtMs: 1_790_000_005_000 }, { ms: 1_790_000_005_000 }],
    ['at least when the form was opened', {}, { ms: PRESSED_S * 1_000 + 500, isLeast: true }],
  ])('were made %s', async (_when, context, acted) => {
    const stage = stageOf();
    const { form } = await formOf(stage);
    await stage.submit(sent(form, { picked: [0], decision: 'approve' }), { context });
    expect(JSON.parse(stage.held[0]?.record.data ?? '')).toMatchObject({ acted });
  });

  test('have no time if nobody knows when the form was opened', async () => {
    const stage = stageOf();
    await stage.ask('Deploy 1');
    await stage.select('production', { actions: [UNTIMED] });
    await stage.submit(sent(stage.views.at(-1), { picked: [0], decision: 'approve' }));
    expect(JSON.parse(stage.held[0]?.record.data ?? '')).not.toHaveProperty('acted');
  });

  test.each<[string, Partial<Route['reason']>, Entered, string | undefined]>([
    [
      'is sealed',
      { approve: 'optional' },
      { decision: 'approve', reason: 'Green' },
      'sealed-reason',
    ],
    ['may be left out', { approve: 'optional' }, { decision: 'approve' }, undefined],
    [
      'is kept where it is required',
      { approve: 'required' },
      { decision: 'approve', reason: 'x' },
      'sealed-reason',
    ],
    ['is not kept where none is asked for', {}, { decision: 'approve', reason: 'x' }, undefined],
    ['is asked for by decision', { reject: 'required' }, { decision: 'approve' }, undefined],
  ])('a reason %s', async (_what, reason, entered, kept) => {
    const stage = stageOf({ reason: { approve: 'none', reject: 'none', ...reason } });
    const { form } = await formOf(stage);
    await stage.submit(sent(form, { picked: [0], ...entered }));
    expect(JSON.parse(stage.held[0]?.record.data ?? '').reason).toBe(kept);
  });

  test.each<[string, Entered, object[]]>([
    [
      'no request',
      { picked: [], decision: 'approve' },
      errorAt('decision', 'Select at least one request.'),
    ],
    ['no decision', { picked: [0] }, errorAt('decision', 'Choose a decision.')],
    [
      'another decision',
      { picked: [0], decision: 'ignore' },
      errorAt('decision', 'Choose a decision.'),
    ],
    [
      'no reason where it is required',
      { picked: [0], decision: 'reject', reason: '  ' },
      errorAt('reason', 'Please give a reason.'),
    ],
  ])('with %s are not stored', async (_what, entered, answers) => {
    const stage = stageOf({ reason: { approve: 'none', reject: 'required' } });
    const { form } = await formOf(stage);
    expect(await stage.submit(sent(form, entered))).toEqual(answers);
    expect(stage.happened).toEqual(['acknowledged']);
    expect(stage.held).toEqual([]);
  });

  test.each<[string, Partial<Route>]>([
    ['no longer allows it', { several: false }],
    ['asks again before each', { confirm: true }],
    ['is gone', { name: 'renamed' }],
  ])('are not stored if their route %s', async (_what, change) => {
    const stage = stageOf();
    const { form } = await formOf(stage);
    const { config } = stage.core;
    const routes = config.routes.map((each) =>
      each.name === 'production' ? { ...each, ...change } : each,
    );
    Object.assign(config, { routes });
    const answers = await stage.submit(sent(form, { picked: [0], decision: 'approve' }));
    expect(answers.map(textsOf)).toEqual([expect.arrayContaining([NONE])]);
    expect(stage.held).toEqual([]);
  });

  test.each([
    ['unavailable', 'Gatepost could not store your decisions just now. Send again in a minute.'],
    [
      'unknown',
      "It is not known whether your decisions were recorded. Check the requests' messages in a minute. If nothing has changed, send again.",
    ],
  ] as const)('stay in the form if the store is %s', async (code, sentence) => {
    const stage = stageOf();
    const { form } = await formOf(stage);
    const view = sent(form, { picked: [0], decision: 'approve' });
    stage.core.store.create = () => Promise.reject(new StoreError(code, 'away'));
    expect(await stage.submit(view)).toEqual(errorAt('decision', sentence));
    stage.core.store.create = () => Promise.reject(new TypeError('a mistake'));
    await expect(stage.submit(view)).rejects.toThrow('a mistake');
    expect(stage.happened).toEqual(['acknowledged']);
  });
});
