import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type MoveRequest, moveItem } from '../../service/tasks/move-rules.ts';
import type { Project, Status, TaskWorld, WorkItem } from '../../service/tasks/task-world.ts';

const FIELDS = ['Severity', 'Customer', 'Effort'];
const SPACES = ['s0', 's1'];

/** Makes choices, which fast-check can shrink. */
interface Choices {
  readonly number: (to: number) => number;
  /** True once in that many times. */
  readonly rarely: (times: number) => boolean;
  readonly of: <Value>(values: readonly Value[]) => Value;
}

function choicesOf(gen: fc.GeneratorValue): Choices {
  const number = (to: number) => gen(fc.nat, to);
  return {
    number,
    rarely: (times) => number(times - 1) === times - 1,
    // as: the index is below the length
    of: <Value>(values: readonly Value[]) => values[number(values.length - 1)] as Value,
  };
}

const workflow = (owner: string, { number }: Choices): Status[] =>
  Array.from({ length: 1 + number(3) }, (_, n) => ({ id: `${owner}.${n}`, name: `${n}` }));

function someProject(n: number, choices: Choices): Project {
  const id = `p${n}`;
  return {
    id,
    slug: id,
    name: id,
    space: choices.of(SPACES),
    keyPrefix: `K${n}`,
    lastNumber: 100,
    statuses: workflow(id, choices),
    types: [
      { id: `${id}.plain`, name: 'Plain', statuses: null },
      { id: `${id}.own`, name: 'Own', statuses: workflow(`${id}.own`, choices) },
    ],
    fields: FIELDS.filter(() => !choices.rarely(3)).map((name) => ({
      id: `${id}.${name}`,
      name,
    })),
  };
}

function someItem(n: number, earlier: readonly WorkItem[], home: Project, choices: Choices) {
  const siblings = earlier.filter(({ projectId }) => projectId === home.id).map(({ id }) => id);
  const type = choices.of([null, ...home.types]);
  const fields = home.fields.filter(() => !choices.rarely(2));
  return {
    id: `i${n}`,
    key: `${home.keyPrefix}-${n}`,
    title: `Item ${n}`,
    projectId: home.id,
    typeId: type?.id ?? null,
    status: choices.of(type?.statuses ?? home.statuses).id,
    parentId: choices.of([null, ...siblings]),
    updatedAt: `2026-11-01T00:00:00.000${100 + n}Z`,
    values: Object.fromEntries(fields.map(({ id }) => [id, `${id} of ${n}`])),
    archived: [],
  };
}

function someWorld(choices: Choices): TaskWorld {
  const projects = [0, 1, 2].map((n) => someProject(n, choices));
  const items: WorkItem[] = [];
  const last = choices.number(9);
  for (let n = 0; n <= last; n++) {
    items.push(someItem(n, items, choices.of(projects), choices));
  }
  return {
    projects,
    items: new Map(items.map((item) => [item.id, item])),
    keys: new Map(items.map((item) => [item.key, item.id])),
    revision: 0,
  };
}

/** The ids of an item and of everything below it. */
function below(world: TaskWorld, id: string): string[] {
  const isBelow = (item: WorkItem | undefined): boolean =>
    item !== undefined && (item.id === id || isBelow(world.items.get(item.parentId ?? '')));
  return [...world.items.values()].filter(isBelow).map((item) => item.id);
}

/** A request that is usually valid, and its problems as the statuses of Interface 7.1. */
function someMove(world: TaskWorld, choices: Choices) {
  const item = choices.of([...world.items.values()]);
  const target = choices.of(world.projects);
  const type = choices.of([null, null, ...target.types]);
  const ids = below(world, item.id);
  const used = new Set(ids.map((id) => world.items.get(id)?.status ?? ''));
  const open = (type?.statuses ?? target.statuses).map(({ id }) => id);
  const mapping = new Map([...used].map((status) => [status, choices.of(open)]));
  const request: { -readonly [Name in keyof MoveRequest]: MoveRequest[Name] } = {
    targetProjectId: target.id,
    statusMapping: {},
    baseUpdatedAt: item.updatedAt,
    subtreeTaskIds: ids,
    ...(type && { targetTaskTypeId: type.id }),
  };
  const faults = new Set<number>();
  if (target.id === item.projectId) faults.add(422);
  if (choices.rarely(12)) {
    request.targetProjectId = 'nowhere';
    faults.add(404);
  }
  if (choices.rarely(12)) {
    request.baseUpdatedAt = item.updatedAt.replace('000', '001');
    faults.add(409);
  }
  if (choices.rarely(12)) {
    request.subtreeTaskIds = choices.of([ids.slice(1), [...ids, 'i99'], [...ids.slice(1), 'i99']]);
    faults.add(409);
  }
  if (choices.rarely(12)) {
    mapping.delete(choices.of([...used]));
    faults.add(422);
  }
  if (choices.rarely(12)) {
    mapping.set(choices.of([...used, 'unused']), 'nowhere');
    faults.add(422);
  }
  if (choices.rarely(12)) {
    request.targetTaskTypeId = choices.of(
      world.projects.filter((each) => each !== target).flatMap(({ types }) => types),
    ).id;
    faults.add(422);
  }
  request.statusMapping = Object.fromEntries(mapping);
  const may = () => !choices.rarely(20);
  const spaces = SPACES.map((slug) => ({
    slug,
    name: slug,
    permissions: { moveTasks: may(), createTasks: may(), viewTasks: may(), writeTestCases: true },
  }));
  const permitted = (slug: string | undefined) =>
    spaces.find((space) => space.slug === slug)?.permissions;
  const home = world.projects.find(({ id }) => id === item.projectId);
  const there = permitted(target.space);
  const isPermitted = permitted(home?.space)?.moveTasks && there?.createTasks && there.viewTasks;
  if (!isPermitted) faults.add(403);
  return { item, ids, target, request, spaces, faults };
}

/** Values by the field's name, in any project. */
const named = ({ values }: WorkItem) =>
  Object.fromEntries(Object.entries(values).map(([id, value]) => [id.split('.')[1], value]));

it('a tree is moved exactly as requested, or not at all', () => {
  const seen = { moved: 0, refused: new Set<number>() };
  const property = fc.property(fc.gen(), (gen) => {
    const choices = choicesOf(gen);
    const world = someWorld(choices);
    const { item, ids, target, request, spaces, faults } = someMove(world, choices);
    const before = structuredClone(world);
    const checksFirst = choices.of(['changes', 'mapping'] as const);
    const result = moveItem(world, item.id, request, { spaces, checksFirst, now: 0 });
    expect(world).toEqual(before);
    if (result.kind === 'refused') {
      expect(faults).toContain(result.status);
      seen.refused.add(result.status);
      return;
    }
    expect([...faults]).toEqual([]);
    seen.moved += 1;

    const after = result.world;
    expect([...after.items.keys()].sort()).toEqual([...before.items.keys()].sort());
    expect(result.movedCount).toBe(ids.length);
    const keys = new Set(before.keys.keys());
    let archived = 0;
    for (const [id, was] of before.items) {
      const is = after.items.get(id) ?? expect.unreachable();
      // All of its earlier keys still lead to it.
      expect(after.keys.get(was.key)).toBe(id);
      if (!ids.includes(id)) {
        expect(is).toEqual(was);
        continue;
      }
      expect(is).toMatchObject({ title: was.title, projectId: target.id });
      expect(is.typeId).toBe(request.targetTaskTypeId ?? null);
      expect(is.status).toBe(request.statusMapping[was.status]);
      expect(is.parentId).toBe(id === item.id ? null : was.parentId);
      expect(is.updatedAt).not.toBe(was.updatedAt);
      expect(is.key).toMatch(new RegExp(`^${target.keyPrefix}-\\d+$`));
      expect(keys).not.toContain(is.key);
      keys.add(is.key);
      expect(after.keys.get(is.key)).toBe(id);
      // Every value is either kept under a field of the destination, or archived.
      const kept = named(is);
      const lost = Object.fromEntries(is.archived.map(({ field, value }) => [field, value]));
      expect({ ...kept, ...lost }).toEqual(named(was));
      expect(Object.keys(kept).every((name) => target.fields.some((it) => it.name === name))).toBe(
        true,
      );
      expect(Object.keys(lost).some((name) => target.fields.some((it) => it.name === name))).toBe(
        false,
      );
      archived += is.archived.length;
    }
    expect(result.droppedFieldCount).toBe(archived);
  });
  fc.assert(property, { numRuns: 1000 });
  expect(seen.moved).toBeGreaterThan(100);
  expect([...seen.refused].sort()).toEqual([403, 404, 409, 422]);
});
