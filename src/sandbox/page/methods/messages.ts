import { z } from 'zod';
import { readKey } from '../page-memory.ts';
import { type PageMethods, pageMethod } from '../page-method.ts';

const press = z.strictObject({
  user: z.string(),
  channel: z.string(),
  ts: z.string(),
  actionId: z.string(),
});
const read = z.strictObject({ user: z.string(), channel: z.string(), ts: z.string() });
const say = z.strictObject({
  user: z.string(),
  channel: z.string(),
  text: z.string().min(1, 'Write something.').max(4_000, 'Write it in 4,000 characters or fewer.'),
  threadTs: z.string().optional(),
});

/** What people do with messages. */
export const messageMethods: PageMethods = {
  /** Gives what Slack shows beside the button when the app did not acknowledge. */
  press: pageMethod(press, async (body, { sandbox }) => {
    const { shown } = await sandbox.workspace.click(body);
    return { shown };
  }),
  read: pageMethod(read, ({ user, channel, ts }, { memory, changed }) => {
    const key = readKey(user, channel);
    if (Number(ts) > Number(memory.reads.get(key) ?? 0)) memory.reads.set(key, ts);
    changed();
    return {};
  }),
  say: pageMethod(say, ({ threadTs, ...words }, { sandbox }) => {
    const { ts } = sandbox.workspace.say({ ...words, ...(threadTs && { threadTs }) });
    return { ts };
  }),
};
