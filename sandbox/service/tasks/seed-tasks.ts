import type { Field, Project, Status, TaskWorld, WorkItem } from './task-world.ts';

/** The ids are the same at every start, so that a configuration can name them. */
function idOf(kind: 'project' | 'item', n: number): string {
  return `${kind === 'project' ? '9c0e5a00' : '3b7d1f00'}-0000-4000-8000-${String(n).padStart(12, '0')}`;
}

const statuses = (project: string, ...names: string[]): Status[] =>
  names.map((name) => ({ id: `${project}-${name.toLowerCase().replaceAll(' ', '-')}`, name }));
const fields = (project: string, ...names: string[]): Field[] =>
  names.map((name) => ({ id: `${project}-${name.toLowerCase()}`, name }));

const projects: readonly Project[] = [
  {
    id: idOf('project', 1),
    slug: 'operations',
    name: 'Operations',
    space: 'ops',
    keyPrefix: 'OPS',
    lastNumber: 19,
    statuses: statuses('ops', 'Open', 'In progress', 'Waiting', 'Done'),
    types: [
      { id: 'ops-task', name: 'Task', statuses: null },
      {
        id: 'ops-incident',
        name: 'Incident',
        statuses: statuses('ops-incident', 'Reported', 'Mitigated', 'Resolved'),
      },
    ],
    fields: fields('ops', 'Severity', 'Customer', 'Effort'),
  },
  {
    id: idOf('project', 2),
    slug: 'platform',
    name: 'Platform',
    space: 'eng',
    keyPrefix: 'PLAT',
    lastNumber: 6,
    statuses: statuses('plat', 'Backlog', 'In progress', 'In review', 'Done'),
    types: [
      { id: 'plat-story', name: 'Story', statuses: null },
      {
        id: 'plat-bug',
        name: 'Bug',
        statuses: statuses('plat-bug', 'Reported', 'Confirmed', 'Fixed'),
      },
    ],
    fields: fields('plat', 'Severity', 'Effort'),
  },
  {
    id: idOf('project', 3),
    slug: 'website',
    name: 'Website',
    space: 'eng',
    keyPrefix: 'WEB',
    lastNumber: 2,
    statuses: statuses('web', 'To do', 'Doing', 'Done'),
    types: [],
    fields: [],
  },
  {
    id: idOf('project', 4),
    slug: 'ledger',
    name: 'Ledger',
    space: 'fin',
    keyPrefix: 'LED',
    lastNumber: 1,
    statuses: statuses('led', 'Draft', 'Booked'),
    types: [],
    fields: [],
  },
];

type Sprout = Pick<WorkItem, 'key' | 'title' | 'status'> & {
  readonly typeId?: string;
  /** By the field's name. */
  readonly values?: Readonly<Record<string, string>>;
  readonly below?: readonly Sprout[];
};

const sprouts: readonly Sprout[] = [
  {
    key: 'OPS-12',
    title: 'Bring the checkout to the new cluster',
    status: 'ops-in-progress',
    values: { Severity: 'High', Customer: 'Acme', Effort: '8' },
    below: [
      {
        key: 'OPS-13',
        title: 'Copy the data',
        status: 'ops-done',
        values: { Effort: '3' },
        below: [
          { key: 'OPS-15', title: 'Compare the copies', status: 'ops-open' },
          { key: 'OPS-16', title: 'Delete the old disks', status: 'ops-waiting' },
        ],
      },
      { key: 'OPS-14', title: 'Switch the traffic over', status: 'ops-open' },
    ],
  },
  { key: 'OPS-18', title: 'Renew the certificates', status: 'ops-open' },
  {
    key: 'OPS-19',
    title: 'The queue is slow at noon',
    status: 'ops-incident-mitigated',
    typeId: 'ops-incident',
    values: { Severity: 'Low', Customer: 'Globex' },
  },
  { key: 'PLAT-4', title: 'One build for all services', status: 'plat-in-review' },
  {
    key: 'PLAT-6',
    title: 'Logs lose their last line',
    status: 'plat-bug-confirmed',
    typeId: 'plat-bug',
    values: { Severity: 'High' },
  },
  { key: 'WEB-2', title: 'A page for each plan', status: 'web-doing' },
  { key: 'LED-1', title: 'Close October', status: 'led-draft' },
];

/** Some items, one with a tree of three levels. A move to Platform makes OPS-12 lose one value and become PLAT-7. */
export function seedTasks(): TaskWorld {
  const items: WorkItem[] = [];
  const grow = (sprout: Sprout, parentId: string | null): void => {
    const prefix = sprout.key.split('-')[0];
    const project = projects.find(({ keyPrefix }) => keyPrefix === prefix);
    if (!project) throw new Error(`No project has keys such as ${sprout.key}.`);
    const n = items.length + 1;
    const { key, title, status, typeId = null, values = {}, below = [] } = sprout;
    const id = idOf('item', n);
    const updatedAt = `2026-11-${String(n).padStart(2, '0')}T09:14:07.120${100 + n}Z`;
    const byId = project.fields.flatMap(({ id, name }) =>
      values[name] === undefined ? [] : [[id, values[name]] as const],
    );
    const rest = { parentId, updatedAt, values: Object.fromEntries(byId), archived: [] };
    items.push({ id, key, title, projectId: project.id, typeId, status, ...rest });
    for (const each of below) grow(each, id);
  };
  for (const sprout of sprouts) grow(sprout, null);
  return {
    projects,
    items: new Map(items.map((item) => [item.id, item])),
    keys: new Map(items.map((item) => [item.key, item.id])),
    revision: 0,
  };
}
