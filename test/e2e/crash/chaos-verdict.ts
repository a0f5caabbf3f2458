import type { Sandbox } from '../../../sandbox/sandbox.ts';
import type { ApprovalEffect, ApprovalStatus } from '../../../sandbox/service/approval-state.ts';
import type { Message } from '../../../sandbox/wire.ts';
import { readable } from '../../support/world.ts';
import type { Gate } from './chaos-people.ts';

/** What a message must say of each status. */
const SAYS: Record<ApprovalStatus, RegExp> = {
  PENDING: /Waiting[\s\S]*\nApprove\nReject/,
  APPROVED: /\*Approved\b/,
  REJECTED: /\*Rejected\b/,
  TIMED_OUT: /\*Timed out\b/,
};

/** Every broken promise, in words; none when all is well. */
export function wrongIn(sandbox: Sandbox, gates: readonly Gate[]): string[] {
  return [...gates.flatMap((gate) => wrongWith(sandbox, gate)), ...untold(sandbox, gates)];
}

function wrongWith({ service, workspace }: Sandbox, { id, token, channel }: Gate): string[] {
  const { status, effects } = service.approval(token);
  const posts = postsOf(workspace.messages(channel), id);
  const main = posts.filter(({ post }) => post.startsWith('message'));
  const announced = posts.filter(({ post }) => post === 'outcome-thread').length;
  const shown = readable(main[0]?.message);
  const wrong = [];
  if (effects.length > 1) wrong.push(`${id}: ${effects.length} effects`);
  if (main.length !== 1) wrong.push(`${id}: ${main.length} messages`);
  if (!SAYS[status].test(shown)) wrong.push(`${id}: is ${status}, and shows ${shown}`);
  const due = status === 'PENDING' ? 0 : 1;
  if (announced !== due) wrong.push(`${id}: ${status}, announced ${announced} times`);
  if (!isCreditRight(service, effects[0], shown)) wrong.push(`${id}: wrong credit, ${shown}`);
  return wrong;
}

/** Whoever is named did it, and “elsewhere” means that nobody here did. */
function isCreditRight(
  service: Sandbox['service'],
  effect: ApprovalEffect | undefined,
  shown: string,
): boolean {
  if (/\*(Approved|Rejected) elsewhere/.test(shown)) return effect?.through === 'elsewhere';
  const [, named] = /\*(?:Approved|Rejected) by <@(\w+)>/.exec(shown) ?? [];
  return named === undefined || isBy(service, effect, named);
}

function postsOf(messages: readonly Message[], id: string) {
  return messages.flatMap((message) => {
    const { record, post } = message.metadata?.event_payload ?? {};
    return record === id ? [{ message, post: String(post) }] : [];
  });
}

/** What the workspace was asked about the records that something is wrong with, for who looks into it. */
export function journalOf(sandbox: Sandbox, wrong: readonly string[]): string {
  const calls = sandbox.workspace.calls();
  return wrong
    .map((words) => {
      const [id = ''] = words.split(':');
      const about = calls.filter(({ args }) => JSON.stringify(args).includes(id));
      const lines = about.map(
        ({ at, method, args, status, error }) =>
          `  ${at} ${method} ${JSON.stringify(args.metadata ?? '')} ${status} ${error}`,
      );
      return [words, ...lines].join('\n');
    })
    .join('\n');
}

/** People who clicked, were acknowledged, and neither got their way nor a sentence. */
function untold(sandbox: Sandbox, gates: readonly Gate[]): string[] {
  const owed = new Map<string, number>();
  for (const gate of gates) {
    for (const click of gate.clicks) {
      if (isCarriedOut(sandbox, gate.token, click)) continue;
      const key = `${click.user} ${gate.channel}`;
      owed.set(key, (owed.get(key) ?? 0) + 1);
    }
  }
  return [...owed].flatMap(([key, count]) => {
    const [user = '', channel] = key.split(' ');
    const told = sandbox.workspace.ephemerals(user).filter((each) => each.channel === channel);
    // What could not be said in the channel was said directly.
    const heard = told.length + sandbox.workspace.directMessages(user).length;
    return heard >= count ? [] : [`${key}: ${count} sentences owed, ${heard} heard`];
  });
}

function isCarriedOut(
  { service }: Sandbox,
  token: string,
  { user, action }: Gate['clicks'][number],
): boolean {
  const [effect] = service.approval(token).effects;
  return effect?.action === action && isBy(service, effect, user);
}

function isBy(
  service: Sandbox['service'],
  effect: ApprovalEffect | undefined,
  user: string,
): boolean {
  const account = service.users().find(({ id }) => id === effect?.userId);
  return account !== undefined && account.userName === ADDRESSES[user];
}

const ADDRESSES: Readonly<Record<string, string>> = {
  U0ANA: 'ana@example.com',
  U0BEN: 'ben@example.com',
};
