import { z } from 'zod';
import { type PageMethods, pageMethod } from '../page-method.ts';

const decide = z.strictObject({
  approval: z.string(),
  action: z.enum(['approve', 'reject', 'time-out']),
});

const edit = z.strictObject({ item: z.string(), title: z.string().min(1) });

/** What happens in the service without the bot. */
export const serviceMethods: PageMethods = {
  decide: pageMethod(decide, ({ approval: id, action }, { sandbox: { service } }) => {
    const approval = service.approvals().find((each) => each.id === id);
    if (!approval) throw new Error('There is no such approval.');
    if (action === 'time-out') service.timeOut(approval.token);
    else service.decide(approval.token, action);
    return {};
  }),
  'edit-item': pageMethod(edit, ({ item, title }, { sandbox: { service } }) => {
    service.tasks.edit(item, { title });
    return {};
  }),
};
