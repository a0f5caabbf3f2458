import * as z from 'zod';
import type { Answer } from '../../exchange.ts';
import { may, type Space } from '../spaces.ts';
import type { TestCase, TestProject } from './test-project.ts';

/** Only what the interface shows (4.2), with its defaults. */
const caseBody = z.strictObject({
  title: z.string().trim().min(1),
  description: z.string().optional(),
  priority: z.enum(['LOW', 'MEDIUM', 'HIGH', 'CRITICAL']).default('MEDIUM'),
  type: z.enum(['MANUAL', 'AUTOMATED', 'EXPLORATORY']).default('MANUAL'),
  suiteId: z.string().optional(),
});

export interface CreateCaseNeeds {
  readonly spaces: readonly Space[];
  /** The slug, and the id of the test project, from the path. */
  readonly space: string;
  readonly projectId: string;
  readonly newId: () => string;
}

/** The answer to a new test case (Interface 4.2, 7.2), and the test projects after it. */
export function createCase(
  projects: readonly TestProject[],
  body: unknown,
  { spaces, space, projectId, newId }: CreateCaseNeeds,
): { readonly projects: readonly TestProject[]; readonly answer: Answer } {
  const refused = (status: number, words: string) => ({ projects, answer: refusal(status, words) });
  if (!spaces.some(({ slug }) => slug === space)) return refused(404, 'There is no such Space.');
  if (!may(spaces, space, 'writeTestCases')) return refused(403, 'You may not write here.');
  const project = projects.find((each) => each.id === projectId && each.space === space);
  if (!project) return refused(404, 'There is no such test project.');
  const { data, error } = caseBody.safeParse(body);
  if (error) return refused(400, faultOf(error));
  const { suiteId = null, description = null, ...chosen } = data;
  if (suiteId !== null && !project.suites.some(({ id }) => id === suiteId)) {
    return refused(400, 'suiteId is no suite of this test project.');
  }
  const placed = { description, suiteId, testProjectId: project.id };
  const testCase: TestCase = { id: newId(), ...chosen, ...placed, status: 'DRAFT' };
  return {
    answer: { status: 201, body: shown(testCase) },
    projects: projects.map((each) =>
      each === project ? { ...each, cases: [...each.cases, testCase] } : each,
    ),
  };
}

/** The only error format that the interface shows. */
export function refusal(status: number, words: string): Answer {
  return { status, body: { error: words } };
}

function faultOf({ issues: [issue] }: z.ZodError): string {
  return `${issue?.path.join('.') || 'The body'}: ${issue?.message ?? 'is not valid'}.`;
}

function shown({ id, title, priority, type, status, testProjectId }: TestCase) {
  return { id, title, priority, type, status, testProjectId };
}
