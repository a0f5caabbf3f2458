import { z } from 'zod';
import { readKey } from '../page-memory.ts';
import { type PageMethods, pageMethod } from '../page-method.ts';

const read = z.strictObject({ user: z.string(), channel: z.string(), ts: z.string() });
const say = z.strictObject({
  user: z.string(),
  channel: z.string(),
  text: z
    .string()
    .trim()
    .min(1, 'Write something.')
    .max(4_000, 'Write it in 4,000 characters or fewer.'),
  threadTs: z.string().optional(),
});
const command = z.strictObject({ user: z.string(), channel: z.string(), text: z.string() });
const shortcut = z.strictObject({
  user: z.string(),
  callbackId: z.string(),
  message: z.strictObject({ channel: z.string(), ts: z.string() }).optional(),
});

/** What people write, and what they use on messages. */
export const messageMethods: PageMethods = {
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
  /** What Slack says to it stands in the channel, for that person. */
  command: pageMethod(command, async (body, { sandbox }) => {
    await sandbox.workspace.command(body);
    return {};
  }),
  shortcut: pageMethod(shortcut, async ({ message, ...use }, { sandbox }) => {
    const { shown } = await sandbox.workspace.shortcut({ ...use, ...message });
    return { shown };
  }),
};
