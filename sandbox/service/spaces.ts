/** Where projects and test projects are (Interface 1), and the API key's permissions there. */
export interface Space {
  readonly slug: string;
  readonly name: string;
  readonly permissions: Permissions;
}

export interface Permissions {
  /** Interface 4.1, rule 1. */
  readonly moveTasks: boolean;
  readonly createTasks: boolean;
  readonly viewTasks: boolean;
  /** Interface 4.2. */
  readonly writeTestCases: boolean;
}

const all: Permissions = {
  moveTasks: true,
  createTasks: true,
  viewTasks: true,
  writeTestCases: true,
};

/** Nothing can be moved into Finance. */
export const seedSpaces: readonly Space[] = [
  { slug: 'ops', name: 'Operations', permissions: all },
  { slug: 'eng', name: 'Engineering', permissions: all },
  {
    slug: 'fin',
    name: 'Finance',
    permissions: { ...all, createTasks: false, writeTestCases: false },
  },
];

export function may(
  spaces: readonly Space[],
  slug: string,
  permission: keyof Permissions,
): boolean {
  return spaces.find((space) => space.slug === slug)?.permissions[permission] ?? false;
}

/** Throws if there is no such space. */
export function withPermissions(
  spaces: readonly Space[],
  slug: string,
  patch: Partial<Permissions>,
): Space[] {
  if (!spaces.some((space) => space.slug === slug)) throw new Error(`There is no space ${slug}.`);
  return spaces.map((space) =>
    space.slug === slug ? { ...space, permissions: { ...space.permissions, ...patch } } : space,
  );
}
