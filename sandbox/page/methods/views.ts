import { z } from 'zod';
import { type PageMethods, pageMethod } from '../page-method.ts';
import { entered } from './entered.ts';

const submission = z.strictObject({ user: z.string(), values: z.record(z.string(), entered) });
const closing = z.strictObject({ user: z.string(), all: z.boolean() });
const opening = z.strictObject({ user: z.string(), tab: z.enum(['home', 'messages']) });

/** What people do with modals and the bot's home. */
export const viewMethods: PageMethods = {
  submit: pageMethod(submission, async (body, { sandbox }) => {
    const { shown } = await sandbox.workspace.submit(body);
    return { shown };
  }),
  close: pageMethod(closing, async (body, { sandbox }) => {
    await sandbox.workspace.closeModal(body);
    return {};
  }),
  'open-home': pageMethod(opening, ({ user, tab }, { sandbox }) => {
    sandbox.workspace.openHome(user, tab);
    return {};
  }),
};
