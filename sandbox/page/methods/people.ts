import * as z from 'zod';
import { readKey } from '../page-memory.ts';
import { type PageMethods, type PageWorld, pageMethod } from '../page-method.ts';

/** An entered value: text or a number, an id or an option's value, several of them, or nothing. */
const entered = z.union([z.string(), z.number(), z.array(z.string()), z.null()]);

/** A message, or the modal or Home tab the person has open. */
const place = z.union([
  z.strictObject({ channel: z.string(), ts: z.string() }),
  z.strictObject({ surface: z.enum(['modal', 'home']) }),
]);

const press = z.strictObject({
  user: z.string(),
  place,
  actionId: z.string(),
  /** Of one of several buttons with the same action. */
  label: z.string().optional(),
});
const choice = z.strictObject({ user: z.string(), place, input: z.string(), value: entered });
const suggestion = z.strictObject({
  user: z.string(),
  place,
  input: z.string(),
  typed: z.string(),
});

/** Actions on elements. Each returns what Slack itself shows if the app did not respond as it should. */
export const elementMethods: PageMethods<PageWorld> = {
  press: pageMethod(press, async ({ place, ...rest }, { sandbox }) => {
    const { shown } = await sandbox.workspace.click({ ...place, ...rest });
    return { shown };
  }),
  choose: pageMethod(choice, async ({ place, ...rest }, { sandbox }) => {
    const { shown } = await sandbox.workspace.choose({ ...place, ...rest });
    return { shown };
  }),
  suggest: pageMethod(suggestion, async ({ place, ...rest }, { sandbox }) => {
    const { delivery, options } = await sandbox.workspace.suggest({ ...place, ...rest });
    return { shown: delivery.shown, options };
  }),
};

const submission = z.strictObject({ user: z.string(), values: z.record(z.string(), entered) });
const closing = z.strictObject({ user: z.string(), view: z.string(), all: z.boolean() });
const opening = z.strictObject({ user: z.string(), tab: z.enum(['home', 'messages']) });

/** Actions on modals and the app's Home tab. */
export const viewMethods: PageMethods<PageWorld> = {
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
const reaction = z.strictObject({
  user: z.string(),
  channel: z.string(),
  ts: z.string(),
  name: z.string(),
});
const command = z.strictObject({ user: z.string(), channel: z.string(), text: z.string() });
const shortcut = z.strictObject({
  user: z.string(),
  callbackId: z.string(),
  message: z.strictObject({ channel: z.string(), ts: z.string() }).optional(),
  /** The channel the person looks at, for a global one. */
  channel: z.string().optional(),
});

/** Messages, and what people do with them. */
export const messageMethods: PageMethods<PageWorld> = {
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
  react: pageMethod(reaction, (body, { sandbox }) => {
    sandbox.workspace.react(body);
    return {};
  }),
  /** Slack's own reply appears in the channel, only to that person. */
  command: pageMethod(command, async (body, { sandbox }) => {
    await sandbox.workspace.command(body);
    return {};
  }),
  shortcut: pageMethod(shortcut, async ({ message, channel, ...use }, { sandbox }) => {
    const place = message ?? (channel === undefined ? {} : { channel });
    const { shown } = await sandbox.workspace.shortcut({ ...use, ...place });
    return { shown };
  }),
};
