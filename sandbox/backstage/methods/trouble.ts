import * as z from 'zod';
import type { ServiceFault } from '../../service/service-handle.ts';
import type { WorkspaceFault } from '../../workspace/workspace-handle.ts';
import { type BackstageMethods, backstageMethod } from '../backstage-method.ts';
import type { Troubles } from '../backstage-state.ts';

const serviceFaults: Readonly<Record<Troubles['service'], ServiceFault | null>> = {
  none: null,
  slow: { kind: 'latency', ms: 3_000 },
  down: { kind: 'reset' },
  failing: { kind: '500' },
  silent: { kind: 'dropAfter' },
};
const slackFaults: Readonly<Record<Troubles['slack'], WorkspaceFault | null>> = {
  none: null,
  busy: { kind: '429', retryAfter: 5 },
  down: { kind: 'reset' },
  silent: { kind: 'dropAfter' },
};

const trouble = z.strictObject({
  service: z.enum(['none', 'slow', 'down', 'failing', 'silent']),
  slack: z.enum(['none', 'busy', 'down', 'silent']),
});

/** Turns faults on and off. */
export const troubleMethods: BackstageMethods = {
  trouble: backstageMethod(trouble, (troubles, { sandbox, memory, changed }) => {
    const { service, workspace } = sandbox;
    const [forService, forSlack] = [serviceFaults[troubles.service], slackFaults[troubles.slack]];
    service.clearFaults();
    workspace.clearFaults();
    if (forService) service.fault(forService);
    if (forSlack) workspace.fault(forSlack);
    memory.troubles = troubles;
    changed();
    return {};
  }),
  reset: backstageMethod(z.strictObject({}), async (_, { sandbox, bot }) => {
    sandbox.service.clearFaults();
    sandbox.workspace.clearFaults();
    await (bot()?.startOver ?? emptyAlone)(() => sandbox.reset());
    return {};
  }),
};

/** For a bot that runs elsewhere and keeps its data. */
async function emptyAlone(empty: () => void): Promise<void> {
  empty();
}

const decide = z.strictObject({
  approval: z.string(),
  action: z.enum(['approve', 'reject', 'time-out']),
});

const edit = z.strictObject({ item: z.string(), title: z.string().min(1) });

/** Changes in the service without the bot. */
export const serviceMethods: BackstageMethods = {
  decide: backstageMethod(decide, ({ approval: id, action }, { sandbox: { service } }) => {
    const approval = service.approvals().find((each) => each.id === id);
    if (!approval) throw new Error('There is no such approval.');
    if (action === 'time-out') service.timeOut(approval.token);
    else service.decide(approval.token, action);
    return {};
  }),
  'edit-item': backstageMethod(edit, ({ item, title }, { sandbox: { service } }) => {
    service.tasks.edit(item, { title });
    return {};
  }),
};
