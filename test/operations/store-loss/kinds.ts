import { absenceRecord } from '../../../src/approvals/electorate/absence.ts';
import { closingRecord } from '../../../src/approvals/electorate/closing.ts';
import { createAbsenceFlow } from '../../../src/approvals/ways-in/absence/absence-flow.ts';
import { createClosingFlow } from '../../../src/approvals/ways-in/closing/closing-flow.ts';
import {
  createSeveralFlow,
  severalRecord,
} from '../../../src/approvals/ways-in/list/several-flow.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import type { Change, ChangeTypes } from '../../../src/operations/accounts/change.ts';
import { changeOperation } from '../../../src/operations/accounts/change-operation.ts';
import { createBatchFlow } from '../../../src/operations/batch/batch-flow.ts';
import { queueOf } from '../../../src/operations/batch/queue.ts';
import type { Operation, OperationRecord } from '../../../src/operations/flow/operation.ts';
import { createOperationFlow } from '../../../src/operations/flow/operation-flow.ts';
import type { OperationTypes } from '../../../src/operations/flow/rules.ts';
import { firstPhase } from '../../../src/operations/flow/sending.ts';
import { moveOperation } from '../../../src/operations/tasks/move-operation.ts';
import {
  moveBatchOperation,
  moveBatchViews,
} from '../../../src/operations/tasks/several/move-batch-views.ts';
import { caseOperation } from '../../../src/operations/test-cases/case-operation.ts';
import {
  caseBatchOperation,
  caseBatchViews,
} from '../../../src/operations/test-cases/several/case-batch-views.ts';
import { personOf } from '../../support/slack-person.ts';
import { draftOf, found, wishOf } from '../tasks/moves.ts';
import { batchWith } from '../test-cases/several/batches.ts';
import { type Course, courseOf } from './course.ts';
import { unsureCore } from './unsure-core.ts';
import type { Weather } from './weather.ts';

/** Kinds of records, each as somebody has just asked for it. */
export const KINDS = {
  'case-batch': caseBatch,
  'move-batch': moveBatch,
  move,
  case: oneCase,
  change,
  several,
  absence,
  closing,
} satisfies Record<string, (weather: Weather) => Course>;

/** May the person? That is not what is tried here. */
function mostlyAllowed<T extends OperationTypes>(
  weather: Weather,
  operation: Operation<T>,
): Operation<T> {
  const allowed = { kind: 'allowed' } as const;
  const authorize = () =>
    weather.stored(() => weather.pick([allowed, allowed, { kind: 'wait', waitMs: 500 } as const]));
  return { ...operation, authorize };
}

function asked(weather: Weather) {
  return {
    v: 1 as const,
    ...{ by: 'U0ANA', channel: weather.pick(['C0DEPLOYS', 'DU0ANA']) },
    ...{ createdAt: weather.now, announce: weather.random() < 0.6, run: 0, posts: [] },
    ...(weather.random() < 0.5 && { modal: 'V1' }),
  };
}

function caseBatch(weather: Weather): Course {
  const core = unsureCore(weather);
  const batch = caseBatchOperation(core);
  const { modal, ...rest } = asked(weather);
  const lines = ['A', 'B', 'C'].map((title) => ({ title }));
  const first = batchWith(lines, { ...rest, ...queueOf([0, 1, 2], 0) });
  const operation = mostlyAllowed(weather, batch.operation);
  const flow = createBatchFlow({ ...batch, operation }, caseBatchViews(core));
  return courseOf(weather, flow, first, pressesOfBatch);
}

function moveBatch(weather: Weather): Course {
  const core = unsureCore(weather);
  const batch = moveBatchOperation(core);
  const { modal, ...rest } = asked(weather);
  const { target, choices } = draftOf();
  const lines = ['1', '2', '3'].map((id) => ({
    ...{ reference: `OPS-${id}`, item: found({ id }), readAt: weather.now },
    from: weather.pick(['http', 'manual'] as const),
  }));
  const queue = queueOf([0, 1, 2], 0);
  const first = { ...rest, ...queue, target, choices, draftId: 'd', lines, allowedAt: 0, page: 0 };
  const operation = mostlyAllowed(weather, batch.operation);
  const flow = createBatchFlow({ ...batch, operation }, moveBatchViews(core));
  return courseOf(weather, flow, first, pressesOfBatch);
}

const pressesOfBatch = () =>
  [
    { kind: 'again', run: 0 },
    { kind: 'again', run: 1 },
    { kind: 'again-one', run: 0, line: 1 },
    { kind: 'page', page: 7 },
  ] as const;

function operationOf<T extends OperationTypes>(
  weather: Weather,
  operation: Operation<T>,
  wish: T['wish'],
): Course {
  const first: OperationRecord<T> = { ...asked(weather), phase: firstPhase(0), wish };
  const flow = createOperationFlow(mostlyAllowed(weather, operation), TRUE_TIME);
  return courseOf(weather, flow, first, () => [
    { kind: 'again', run: 0 },
    { kind: 'again', run: 1 },
    { kind: 'cancel' },
    { kind: 'covered' },
  ]);
}

function move(weather: Weather): Course {
  const from = weather.pick(['http', 'manual'] as const);
  return operationOf(weather, moveOperation(unsureCore(weather)), wishOf({ from }));
}

function oneCase(weather: Weather): Course {
  const testCase = { title: 'Pay by card', spaceSlug: 'eng', projectId: 'tp1' };
  return operationOf(weather, caseOperation(unsureCore(weather)), { testCase, round: 0 });
}

function change(weather: Weather): Course {
  const account = { id: 'a1', userName: 'ana@example.com', externalId: null, name: 'Ana' };
  const user = { userName: 'ana@example.com', displayName: 'Ana' };
  const wanted: Change = weather.pick<Change>([
    { kind: 'create', user, foreseen: { kind: 'link', id: 'a1' } },
    { kind: 'create', user, foreseen: { kind: 'reactivate', id: 'a1' } },
    { kind: 'edit', account, values: { displayName: 'Anna' }, base: {} },
    { kind: 'deactivate', account },
    { kind: 'activate', account },
    { kind: 'delete', account },
  ]);
  const operation: Operation<ChangeTypes> = changeOperation(unsureCore(weather));
  return operationOf(weather, operation, { change: wanted });
}

function several(weather: Weather): Course {
  const rows = ['r1', 'r2'].map((id) => ({ id, channel: 'C0PROD', digest: 'd', title: 'Deploy' }));
  const wish = { user: 'U0ANA', action: 'approve', view: 'V1' } as const;
  const first = severalRecord(wish, rows, weather.now);
  return courseOf(weather, createSeveralFlow(unsureCore(weather)), first, () => [{ kind: 'look' }]);
}

function absence(weather: Weather): Course {
  const signals = () => {
    const until = weather.now + weather.pick([50_000, 500_000]);
    return [
      { kind: 'set', by: 'U0ANA', until, substitute: ['U0BEN'] },
      { kind: 'set', by: 'U0ANA', until, substitute: ['U0CLEO'] },
      { kind: 'set', by: 'U0ANA', until },
      { kind: 'back', by: 'U0ANA' },
      { kind: 'decline', by: 'U0BEN', ids: ['U0BEN'] },
      { kind: 'substitute-away', ids: ['U0BEN'], until },
    ] as const;
  };
  const flow = createAbsenceFlow(unsureCore(weather));
  const { data } = absenceRecord(personOf('U0ANA'), 'c1', signals()[0], weather.now);
  return courseOf(weather, flow, flow.decode(data, null), signals);
}

function closing(weather: Weather): Course {
  const channels = ['C0PROD', 'C0DEPLOYS'];
  const signals = () =>
    [
      { kind: 'close', by: 'U0ANA', until: weather.now + 60_000, why: 'Audit', channels },
      { kind: 'open', by: 'U0ANA', channels: ['C0PROD'] },
      { kind: 'look' },
    ] as const;
  const flow = createClosingFlow(unsureCore(weather));
  const { data } = closingRecord('production', 'c1', signals()[0], weather.now);
  return courseOf(weather, flow, flow.decode(data, null), signals);
}
