import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import type { ServiceFault } from '../../../sandbox/service/service-handle.ts';
import type { ShownItem } from '../../../sandbox/service/tasks/tasks-handle.ts';
import { startSandbox } from '../../../sandbox/start-sandbox.ts';
import { system } from '../../../src/core/lib/system.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import type { Directory } from '../../../src/core/people/directory.ts';
import { createServiceClient } from '../../../src/core/service/service-client.ts';
import type { Lookup } from '../../../src/core/slack/lookup.ts';
import type { Modals } from '../../../src/core/slack/modals.ts';
import type { Store } from '../../../src/core/store/store.ts';
import { stateOf } from '../../../src/operations/flow/operation.ts';
import { createOperationFlow, encodeSignal } from '../../../src/operations/flow/operation-flow.ts';
import { firstPhase } from '../../../src/operations/flow/sending.ts';
import { isComplete } from '../../../src/operations/tasks/choices.ts';
import { type Places, workflowOf } from '../../../src/operations/tasks/destinations.ts';
import { itemsOf, statusesIn } from '../../../src/operations/tasks/item.ts';
import { MOVE_RULES, type Move, type ReviewedDraft } from '../../../src/operations/tasks/move.ts';
import { moveOperation } from '../../../src/operations/tasks/move-operation.ts';
import { resultText } from '../../../src/operations/tasks/outcome-words.ts';
import { LINKS } from '../../approvals/approvals.ts';
import { cases, IS_AT_LENGTH } from '../../support/cases.ts';
import { coreWith } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';
import { slackPerson } from '../../support/slack-person.ts';

/** What the service's projects are called, as an administrator would write it down. */
function placesOf({ service }: Sandbox): Places {
  const projects = service.tasks.projects().map(({ id, name, space, slug, statuses, types }) => ({
    id,
    name,
    space,
    slug,
    statuses,
    types: types.map((type) => ({ ...type, statuses: type.statuses ?? [] })),
  }));
  const who = { users: ['U0ANA'], groups: [], channel: false };
  return {
    catalogue: { projects },
    move: { source: 'http', who, projects: [], identity: 'omit', rules: [], announce: true },
    links: { task: null },
  };
}

/** Random choices, as numbers from which everything else is taken. */
const pick = fc.nat({ max: 1_000 });
const oneOf = <Item>(items: readonly Item[], at: number): Item => {
  const item = items[at % items.length];
  if (item === undefined) throw new Error('there is nothing to choose from');
  return item;
};

const FAULTS = [null, null, 'dropBefore', 'dropAfter', '500', '429', 'unreadable'] as const;

const trial = fc.record({
  /** Each item hangs below one before it, and has a status. */
  tree: fc.array(fc.record({ below: pick, status: pick }), { maxLength: 7 }),
  status: pick,
  target: pick,
  type: pick,
  mapping: fc.array(pick, { minLength: 4, maxLength: 4 }),
  /** What somebody does after the review, when the item was looked at again, or when an answer was lost. */
  edits: fc.array(
    fc.record({ what: fc.constantFrom('title', 'status', 'add', 'remove'), at: pick }),
  ),
  when: fc.constantFrom('reviewed', 'seen', 'lost'),
  fault: fc.constantFrom(...FAULTS),
  again: fc.boolean(),
});
type Trial = typeof trial extends fc.Arbitrary<infer Of> ? Of : never;

/** Adds a random tree to Operations. */
function grow({ service: { tasks } }: Sandbox, { tree, status }: Trial, places: Places): ShownItem {
  const [operations] = places.catalogue.projects;
  const statuses = operations?.statuses ?? [];
  const root = tasks.add(
    { project: 'operations' },
    { title: 'Root', status: oneOf(statuses, status).id },
  );
  const ids = [root.id];
  for (const { below, status } of tree) {
    const place = { below: oneOf(ids, below) };
    ids.push(tasks.add(place, { title: 'Below', status: oneOf(statuses, status).id }).id);
  }
  return tasks.item(root.id);
}

function edit({ service: { tasks } }: Sandbox, root: string, edits: Trial['edits']): void {
  for (const { what, at } of edits) {
    const items = shownIn(tasks.item(root));
    const item = oneOf(items, at);
    const project = tasks.projects().find(({ id }) => id === item.projectId);
    const type = project?.types.find(({ name }) => name === item.type);
    const statuses = type?.statuses ?? project?.statuses ?? [];
    if (what === 'title') tasks.edit(item.id, { title: `Title ${at}` });
    if (what === 'status') tasks.edit(item.id, { status: oneOf(statuses, at).id });
    if (what === 'add') tasks.add({ below: item.id }, { title: 'New' });
    if (what === 'remove' && item.id !== root) tasks.remove(item.id);
  }
}

function shownIn(item: ShownItem): readonly ShownItem[] {
  return [item, ...item.subItems.flatMap(shownIn)];
}

const asSeen = (item: ShownItem) =>
  JSON.stringify(
    shownIn(item).map(({ id, key, projectId, status }) => [id, key, projectId, status]),
  );

test('a move happens exactly as reviewed or not at all, and the person is told which', {
  timeout: 300_000,
}, async () => {
  await using sandbox = await startSandbox();
  const { service } = sandbox;
  const places = placesOf(sandbox);
  await using client = createServiceClient({
    baseUrl: sandbox.serviceUrl,
    scimToken: null,
    apiKey: sandbox.credentials.apiKey,
    dialect: { approval: { auth: 'none' }, task: { path: '/sandbox/v1/tasks' } },
    ...system,
  });
  const ends = new Map<string, number>();

  await fc.assert(
    fc.asyncProperty(trial, async (given) => {
      // What was moved before has no part in it, and is not gone through again.
      sandbox.reset();
      const draft = await review(client, places, grow(sandbox, given, places), given);
      const { id } = draft.item;
      let before = service.tasks.item(id);
      const editAt = (when: Trial['when']) => {
        if (given.when !== when) return;
        edit(sandbox, id, given.edits);
        before = service.tasks.item(id);
      };
      editAt('reviewed');
      if (given.fault !== null) {
        const fault: ServiceFault = { kind: given.fault, operation: 'moveTask', times: 1 };
        service.fault({ ...fault, retryAfter: 1 });
      }
      let sendings = 0;
      const { move, text } = await carryOut(client, places, draft, {
        again: given.again,
        onSend() {
          sendings += 1;
          if (sendings === 1) editAt('seen');
        },
        onLost() {
          if (sendings === 1) editAt('lost');
        },
      });
      const code = move.outcome?.code ?? '';
      ends.set(code, (ends.get(code) ?? 0) + 1);
      const after = service.tasks.item(id);
      const isThere = after.projectId === draft.target.projectId;
      expect(move.outcome && MOVE_RULES.isSuccess(move.outcome)).toBe(isThere);
      expect(text).toContain(isThere ? '*Moved*' : '*Not moved*');
      // Never some of them: all are where the first one is.
      expect(shownIn(after).filter(({ projectId }) => projectId !== after.projectId)).toEqual([]);
      if (!isThere) expect(asSeen(after)).toBe(asSeen(before));
      if (isThere && given.when !== 'lost') expectMapped(draft, before, after);
      if (isThere && given.when === 'reviewed') expectAsReviewed(draft, after);
      expect(new Set(bodiesFor(sandbox, id)).size).toBeLessThanOrEqual(1);
    }),
    { numRuns: cases(25, 250) },
  );
  // Otherwise it proves less than it says.
  for (const code of IS_AT_LENGTH ? ['moved', 'found-moved', 'not-moved', 'changed'] : ['moved']) {
    expect(ends.get(code), `${code} among ${JSON.stringify([...ends])}`).toBeGreaterThan(0);
  }
});

type Client = ReturnType<typeof createServiceClient>;

/** Reads the item and chooses a destination and a status for each one in use. */
async function review(
  { tasks }: Client,
  places: Places,
  root: ShownItem,
  { target, type, mapping }: Trial,
): Promise<ReviewedDraft> {
  const read = await tasks?.read?.(root.key);
  if (read?.kind !== 'found') throw new Error('the item is read');
  const [, platform, website] = places.catalogue.projects;
  const project = oneOf([platform, website], target);
  const types = [null, ...(project?.types ?? []).map(({ id }) => id)];
  const to = { projectId: project?.id ?? '', typeId: oneOf(types, type) };
  const workflow = workflowOf(places, to);
  const draft: ReviewedDraft = {
    v: 1,
    by: 'U0ANA',
    channel: 'C0DEPLOYS',
    reference: root.key,
    item: read.task,
    from: 'http',
    readAt: 0,
    target: to,
    choices: statusesIn([read.task]).map(({ id }, at) => ({
      from: id,
      to: oneOf(workflow, mapping[at] ?? 0).id,
    })),
  };
  expect(isComplete(places, draft)).toBe(true);
  return draft;
}

/** Works on the record as the loop does, in a time of its own, against the real service. */
async function carryOut(
  { tasks }: Client,
  places: Places,
  draft: ReviewedDraft,
  { again, onSend, onLost }: { again: boolean; onSend: () => void; onLost: () => void },
): Promise<{ move: Move; text: string }> {
  const flow = createOperationFlow(
    moveOperation(
      coreWith({
        service: { tasks },
        config: { ...places, retention: { doneMs: 1 } },
        timing: TRUE_TIME,
        links: LINKS,
        ...quietSlack(),
      }),
    ),
    TRUE_TIME,
  );
  let move: Move = {
    v: 1,
    by: draft.by,
    channel: draft.channel,
    wish: { draft, draftId: 'd' },
    announce: true,
    run: 0,
    createdAt: 0,
    phase: firstPhase(0),
    modal: 'V1',
    posts: [],
  };
  let hasAgain = again;
  for (let now = 1; ; now += 1) {
    const plan = flow.plan(move, now);
    if (plan.kind === 'wait') {
      now = plan.until - 1;
      continue;
    }
    if (plan.kind === 'finish') {
      if (!hasAgain) break;
      hasAgain = false;
      const signal = { id: 's', at: now, body: encodeSignal({ kind: 'again', run: 0 }) };
      move = flow.receive(move, signal, now).data;
      continue;
    }
    move = flow.markAttempt(move, plan.step, now)?.data ?? move;
    if (plan.step.kind === 'send') onSend();
    const result = await flow.execute(move, plan.step, 'r1');
    move = flow.apply(move, plan.step, result, now).data;
    if (plan.step.kind === 'send' && result.kind === 'failed') onLost();
  }
  return { move, text: resultText(move, stateOf(move), places) };
}

/** As much of Slack as a move needs that is shown without trouble. */
function quietSlack() {
  const person = slackPerson({ email: null });
  return {
    timers: systemTimers,
    queue: { taken() {}, join: () => 0, leave() {} },
    workspace: { team: 'T0ACME', enterprise: null, teams: [] },
    lookup: fake<Lookup>({
      person: async () => person,
      isMember: async () => true,
      groupMembers: async () => ({ users: [], missing: null }),
    }),
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
    raise: async () => {},
    modals: fake<Modals>({ update: async (modal) => modal }),
    outbox: {
      post: async () => ({ channel: 'C0DEPLOYS', ts: '1.1' }),
      update: async () => {},
      findByMetadata: async () => undefined,
      readMessage: async () => undefined,
      openDirectMessage: async () => 'D0ANA',
    },
    store: fake<Store>({
      pace: async () => 0,
      pause: async () => {},
      get: async () => undefined,
      put: async () => {},
      putIfAbsent: async () => true,
      replace: async () => true,
      now: () => 0,
    }),
  };
}

/** Every item has the status that takes the place of the one it had. */
function expectMapped({ choices }: ReviewedDraft, before: ShownItem, after: ShownItem): void {
  const now = new Map(shownIn(after).map((each) => [each.id, each]));
  for (const { id, key, status } of shownIn(before)) {
    const moved = now.get(id);
    expect(moved?.status.id).toBe(choices.find(({ from }) => from === status.id)?.to);
    expect(moved?.formerKeys).toContain(key);
  }
}

/** The items of the review, and no others, with the statuses that were reviewed. */
function expectAsReviewed({ item, choices }: ReviewedDraft, after: ShownItem): void {
  const now = new Map(shownIn(after).map((each) => [each.id, each.status.id]));
  const wanted = itemsOf(item).map(({ id, status }) => {
    return [id, choices.find(({ from }) => from === status)?.to] as const;
  });
  expect([...now].sort()).toEqual(wanted.sort());
}

function bodiesFor({ service }: Sandbox, id: string): readonly string[] {
  const sent = service.requests('moveTask').filter(({ ids }) => ids.includes(id));
  return sent.map(({ body }) => JSON.stringify(body));
}
