import type { CreateTestCaseOutcome } from '../../../src/core/service/create-test-case.ts';
import type { CreateUserOutcome } from '../../../src/core/service/create-user.ts';
import type { UserMatch } from '../../../src/core/service/find-user.ts';
import type { MoveOutcome } from '../../../src/core/service/move-task.ts';
import type { PatchUserOutcome } from '../../../src/core/service/patch-user.ts';
import type { ServiceClient, UsersClient } from '../../../src/core/service/service-client.ts';
import type { UserProfile } from '../../../src/core/service/service-user.ts';
import type { TaskRead } from '../../../src/core/service/task.ts';
import { fake } from '../../support/fake.ts';
import { CHILD_CHANGED, found, GONE_THERE } from '../tasks/moves.ts';
import type { Choices, Weather } from './weather.ts';

/** A service that may answer anything: what it did is not what is tried here. */
export function unsureService(weather: Weather): Partial<ServiceClient> {
  const one =
    <Answer>(answers: Choices<Answer>) =>
    () =>
      weather.call(() => weather.pick(answers));
  return {
    testCases: {
      create: ({ title }) =>
        weather.act(`the test case ${title}`, () => weather.pick(CASE_ANSWERS)),
    },
    tasks: { move: one(MOVE_ANSWERS), read: one(TASK_ANSWERS) },
    users: fake<UsersClient>({
      create: one(CREATE_ANSWERS),
      patch: one(PATCH_ANSWERS),
      delete: one([{ kind: 'deactivated' }]),
      find: one(FIND_ANSWERS),
    }),
  };
}

const CASE_ANSWERS: Choices<CreateTestCaseOutcome> = [
  {
    kind: 'created',
    ...{ id: '9', status: 'DRAFT', title: null, priority: null, type: null, testProjectId: null },
  },
  { kind: 'invalid', detail: 'suiteId' },
  { kind: 'unauthorized', detail: null },
];

const MOVE_ANSWERS: Choices<MoveOutcome> = [
  {
    kind: 'moved',
    ...{ id: '1', key: 'WEB-3', spaceSlug: 'eng', projectSlug: 'web' },
    ...{ movedCount: 3, droppedFieldCount: 0 },
  },
  { kind: 'changed', detail: null },
  { kind: 'unauthorized', detail: null },
];

const TASK_ANSWERS: Choices<TaskRead> = [
  { kind: 'found', task: found() },
  { kind: 'found', task: GONE_THERE },
  { kind: 'found', task: CHILD_CHANGED },
  { kind: 'not-found', detail: null },
];

const ACCOUNT: UserProfile = {
  ...{ id: 'a1', userName: 'ana@example.com', externalId: null, active: true },
  ...{ displayName: 'Ana', formattedName: null, givenName: null, familyName: null },
  ...{ title: null, department: null },
};

const CREATE_ANSWERS: Choices<CreateUserOutcome> = [
  { kind: 'provisioned', user: ACCOUNT },
  { kind: 'taken', detail: null },
];

const PATCH_ANSWERS: Choices<PatchUserOutcome> = [
  { kind: 'changed', user: null },
  { kind: 'gone', detail: null },
];

const FIND_ANSWERS: Choices<UserMatch<UserProfile>> = [
  { kind: 'found', user: ACCOUNT },
  { kind: 'found', user: { ...ACCOUNT, active: false } },
  { kind: 'none' },
  { kind: 'several' },
];
