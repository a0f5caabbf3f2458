/** Contains suites and cases inside a Space (Interface 1). */
export interface TestProject {
  readonly id: string;
  readonly name: string;
  /** The space's slug. */
  readonly space: string;
  readonly suites: readonly { readonly id: string; readonly name: string }[];
  readonly cases: readonly TestCase[];
}

/** Interface 2.3. */
export interface TestCase {
  readonly id: string;
  readonly title: string;
  readonly description: string | null;
  readonly priority: 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
  readonly type: 'MANUAL' | 'AUTOMATED' | 'EXPLORATORY';
  /** null: unassigned. */
  readonly suiteId: string | null;
  readonly status: 'DRAFT';
  readonly testProjectId: string;
}

/** The ids are the same at every start, so that a configuration can name them. */
export const seedTestProjects: readonly TestProject[] = [
  {
    id: 'tp-checkout',
    name: 'Checkout',
    space: 'eng',
    suites: [
      { id: 'su-smoke', name: 'Smoke' },
      { id: 'su-payment', name: 'Payment' },
    ],
    cases: [],
  },
  {
    id: 'tp-search',
    name: 'Search',
    space: 'eng',
    suites: [{ id: 'su-ranking', name: 'Ranking' }],
    cases: [],
  },
  { id: 'tp-ledger', name: 'Ledger', space: 'fin', suites: [], cases: [] },
];
