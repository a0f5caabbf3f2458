import type { Sandbox } from '../sandbox.ts';
import type { ApprovalState } from '../service/approval-state.ts';
import type { ServiceRequest } from '../service/service-handle.ts';
import type { EphemeralMessage, Message, User } from '../wire.ts';
import { channels, people, userGroups } from '../workspace/seed.ts';

/** What the page draws for one person. No token is in it. */
export interface PageState {
  readonly me: { readonly id: string; readonly timeZone: string };
  readonly people: readonly { readonly id: string; readonly name: string; readonly note: string }[];
  /** Names of everybody and everything that a message can mention, by id. */
  readonly names: Readonly<Record<string, string>>;
  readonly channels: readonly PageChannel[];
  readonly approvals: readonly PageApproval[];
  readonly requests: readonly PageRequest[];
}

export interface PageChannel {
  readonly id: string;
  readonly name: string;
  readonly messages: readonly PageMessage[];
}

export type PageMessage = Pick<Message, 'ts' | 'text' | 'blocks' | 'thread_ts'> & {
  readonly author: string;
  readonly isApp: boolean;
  readonly edited: boolean;
  readonly onlyYou: boolean;
};

export type PageApproval = Pick<ApprovalState, 'id' | 'status' | 'resolvedAt'> & {
  readonly title: string;
  /** Who decided, each as words; more than one would be a fault. */
  readonly effects: readonly string[];
  /** It ended without the bot, which may not know yet. */
  readonly canCheck: boolean;
};

export interface PageRequest {
  /** Its number in the order of arrival. */
  readonly id: number;
  readonly text: string;
  readonly at: number;
}

/** Titles the automation gave, by the approval's id. */
export type Titles = ReadonlyMap<string, string>;

const shownChannels = ['C0DEPLOYS', 'C0OUTCOMES'];
const shownRequests = 40;
const shownMessages = 200;

export function pageState(sandbox: Sandbox, userId: string, titles: Titles): PageState {
  const me = sandbox.workspace.user(userId) ?? people[0];
  if (!me) throw new Error('The workspace has no people.');
  const approvals = sandbox.service.approvals();
  const idByToken = new Map(approvals.map((approval) => [approval.token, approval.id]));
  return {
    me: { id: me.id, timeZone: me.tz },
    people: present(sandbox).map((user) => ({
      id: user.id,
      name: user.real_name,
      note: noteOn(user, sandbox),
    })),
    names: names(sandbox),
    channels: channelsOf(sandbox, me),
    approvals: approvals.map((approval) => shownApproval(approval, sandbox, titles)).reverse(),
    requests: sandbox.service
      .requests()
      .map((request, id) => ({ id, text: requestText(request, idByToken), at: request.at }))
      .slice(-shownRequests)
      .reverse(),
  };
}

/** Everybody of the seed as they are now, without those who cannot sign in. */
function present(sandbox: Sandbox): User[] {
  return people
    .map((person) => sandbox.workspace.user(person.id) ?? person)
    .filter((user) => !user.is_bot && !user.deleted);
}

function noteOn(user: User, sandbox: Sandbox): string {
  const account = sandbox.service.users().find(({ userName }) => userName === user.profile.email);
  const notes = [
    userGroups.some((group) => group.users.some((id) => id === user.id)) && 'release manager',
    user.is_admin && 'administrator',
    user.is_restricted && 'guest',
    user.is_stranger && 'from another company',
    !account && 'unknown to the service',
    account?.active === false && 'deactivated in the service',
  ];
  return notes.filter(Boolean).join(', ');
}

function names(sandbox: Sandbox): Record<string, string> {
  const known = people.map((person) => sandbox.workspace.user(person.id) ?? person);
  return Object.fromEntries([
    ...known.map((user) => [user.id, user.profile.display_name]),
    ...userGroups.map((group) => [group.id, group.handle]),
    ...channels.map((channel) => [channel.id, channel.name]),
  ]);
}

function channelsOf(sandbox: Sandbox, me: User): PageChannel[] {
  const direct = `D${me.id.slice(1)}`;
  const shown = (message: Message | EphemeralMessage): PageMessage => ({
    ts: message.ts,
    text: message.text,
    ...(message.blocks && { blocks: message.blocks }),
    ...(message.thread_ts && { thread_ts: message.thread_ts }),
    author: sandbox.workspace.user(message.user)?.profile.display_name ?? '',
    isApp: message.bot_id !== undefined,
    edited: message.edited !== undefined,
    onlyYou: 'to' in message,
  });
  const seen = (id: string) =>
    sandbox.workspace.visibleTo(me.id, id).slice(-shownMessages).map(shown);
  return [
    ...channels
      .filter(({ id, members }) => shownChannels.includes(id) && members.includes(me.id))
      .map((channel) => ({ id: channel.id, name: `#${channel.name}`, messages: seen(channel.id) })),
    { id: direct, name: 'Gatepost to you', messages: seen(direct) },
  ];
}

function shownApproval(approval: ApprovalState, sandbox: Sandbox, titles: Titles): PageApproval {
  const who = (userId: string | null): string =>
    sandbox.service.users().find((user) => user.id === userId)?.displayName ?? 'nobody named';
  return {
    id: approval.id,
    title: titles.get(approval.id) ?? approval.prompt,
    status: approval.status,
    resolvedAt: approval.resolvedAt,
    effects: approval.effects.map((effect) =>
      effect.through === 'elsewhere' ? 'in the service itself' : `by ${who(effect.userId)}`,
    ),
    canCheck: !isKnownToBot(approval, sandbox),
  };
}

/** It is pending, was decided through the bot, or the bot has looked since it ended. */
function isKnownToBot({ token, effects, resolvedAt }: ApprovalState, sandbox: Sandbox): boolean {
  if (resolvedAt === null || effects.some((effect) => effect.through === 'interface')) return true;
  const looks = sandbox.service.requests('getApproval').filter((look) => look.token === token);
  return looks.some((look) => look.answered === 200 && look.at >= Date.parse(resolvedAt));
}

function requestText(request: ServiceRequest, ids: ReadonlyMap<string, string>): string {
  const answered = request.answered === 0 ? 'no answer' : (request.answered ?? 'waiting');
  return `${requestName(request, ids)} → ${answered}`;
}

function requestName(request: ServiceRequest, ids: ReadonlyMap<string, string>): string {
  const approval = ids.get(request.token ?? '') ?? 'an unknown approval';
  switch (request.operation) {
    case 'getApproval':
      return `GET status of ${approval}`;
    case 'respond':
      return `POST answer to ${approval}`;
    case 'moveTask':
      return 'POST move of a work item';
    case 'readTask':
      return 'GET a work item';
    case 'readProjects':
      return 'GET projects';
    case 'listUsers':
      return 'GET users';
  }
}
