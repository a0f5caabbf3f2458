import { answerOfWrite } from './json-of-exchange.ts';
import { layersOf, readMember, readText } from './read-member.ts';
import { type Refusal, refusalOf } from './refusal.ts';
import { type CallLimits, pathSegment, type Transport } from './transport.ts';

const OPERATION = 'create test case';

/** A test case to create (Interface 4.2); the service has defaults for missing members. */
export interface NewTestCase {
  readonly spaceSlug: string;
  /** Of the test project. */
  readonly projectId: string;
  readonly title: string;
  readonly description?: string;
  readonly priority?: 'LOW' | 'MEDIUM' | 'HIGH' | 'CRITICAL';
  readonly type?: 'MANUAL' | 'AUTOMATED' | 'EXPLORATORY';
  readonly suiteId?: string;
}

/** A created case as the service reports it; null where it does not. */
export interface CreatedTestCase {
  readonly kind: 'created';
  readonly id: string | null;
  readonly title: string | null;
  readonly priority: string | null;
  readonly type: string | null;
  readonly status: string | null;
  readonly testProjectId: string | null;
}

/**
 * Interface 7.2, with 409, 422 and 410, which other servers use for its 400 and 404. `not-found`: the Space or the
 * project.
 */
const REFUSALS = {
  400: 'invalid',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  409: 'invalid',
  410: 'not-found',
  422: 'invalid',
} as const;

export type CreateTestCaseOutcome =
  | CreatedTestCase
  | Refusal<(typeof REFUSALS)[keyof typeof REFUSALS]>;

/**
 * Creates a test case (Interface 4.2). Sent once, never retried. Throws RemoteFailure for failures that Interface 7.2
 * does not name; `ambiguous` may have created it.
 */
export async function createTestCase(
  { transport, apiKey }: { transport: Transport; apiKey: string },
  testCase: NewTestCase,
  limits: CallLimits = {},
): Promise<CreateTestCaseOutcome> {
  const space = pathSegment(OPERATION, testCase.spaceSlug, 'bad_id');
  const project = pathSegment(OPERATION, testCase.projectId, 'bad_id');
  const request = {
    operation: OPERATION,
    method: 'POST',
    path: `/api/v1/test-management/${space}/${project}/cases`,
    headers: { authorization: `Bearer ${apiKey}` },
    body: bodyOf(testCase),
  } as const;
  try {
    return createdOf(await answerOfWrite(transport.send(request, limits)));
  } catch (error) {
    return refusalOf(error, REFUSALS);
  }
}

function bodyOf({ title, description, priority, type, suiteId }: NewTestCase) {
  // JSON omits undefined members.
  return { title, description, priority, type, suiteId };
}

/** The interface shows no `data`, but one is accepted. */
function createdOf(body: unknown): CreatedTestCase {
  const layers = layersOf(body);
  const layer = layers.find((each) => readMember(each, 'id') !== undefined) ?? layers[0];
  return {
    kind: 'created',
    id: readText(layer, 'id'),
    title: readText(layer, 'title'),
    priority: readText(layer, 'priority'),
    type: readText(layer, 'type'),
    status: readText(layer, 'status'),
    testProjectId: readText(layer, 'testProjectId'),
  };
}
