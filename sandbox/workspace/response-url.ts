import { type Answer, type Exchange, isObject, parseJson } from '../exchange.ts';
import type { Message } from '../wire.ts';
import { addMessage, type Conversation, changeMessage, deleteMessage } from './conversation.ts';
import { readContent } from './message-content.ts';
import { Refusal } from './refusal.ts';
import { type RequestContext, withoutToken } from './request-context.ts';
import { author } from './seed.ts';
import type { WorkspaceFault } from './workspace-handle.ts';
import { addEphemeral, nextTs, type ResponseTarget, type World } from './world.ts';

const mostUses = 5;

type Reply = Readonly<Record<string, unknown>>;
type ReplyTarget = Pick<ResponseTarget, 'user' | 'channel' | 'ts'>;

/**
 * Answers POSTs to response_urls: five uses within their lifetime; without flags a POST replaces the message it belongs
 * to.
 */
export function createResponseUrls({ memory, now, journal, faults, changed }: RequestContext) {
  return async (exchange: Exchange, id: string): Promise<void> => {
    const reply = parseJson(exchange.body.toString());
    const args = isObject(reply) ? reply : {};
    const headers = withoutToken(exchange.headers);
    const answered = journal.arrive({ method: 'response_url', args, headers, at: now() });
    const matches = (fault: WorkspaceFault): boolean => fault.method === 'response_url';
    const answer = await faults.carryOut(exchange, { request: args, matches }, () => {
      const given = answerTo(exchange.method === 'POST' ? reply : null, id, memory.world, now());
      changed();
      return given;
    });
    answered(answer);
  };
}

function answerTo(reply: unknown, id: string, world: World, now: number): Answer {
  const target = world.responses.get(id);
  try {
    if (!target || target.expiresAt <= now) throw new Refusal('expired_url');
    if (target.uses >= mostUses) throw new Refusal('used_url');
    if (!isObject(reply)) throw new Refusal('invalid_payload');
    carryOutReply(reply, target, world, now);
    target.uses += 1;
    return { status: 200, body: { ok: true } };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const gone = error.code === 'expired_url' || error.code === 'used_url';
    return { status: gone ? 404 : 400, body: { ok: false, error: error.code } };
  }
}

/** Writes, replaces or deletes a message as a reply to an interaction says. Throws Refusal. */
export function carryOutReply(reply: Reply, target: ReplyTarget, world: World, now: number): void {
  const conversation = world.conversations.get(target.channel);
  if (!conversation) throw new Refusal('channel_not_found');
  if (reply.delete_original === true) takeAway(conversation, target, world);
  else write(reply, conversation, target, world, now);
}

function write(
  reply: Reply,
  conversation: Conversation,
  target: ReplyTarget,
  world: World,
  now: number,
): void {
  const { metadata: _, ...content } = readContent(reply, world, {
    mostText: 40_000,
    tooMuch: 'msg_too_long',
  });
  if (replaces(reply, target)) {
    replace(conversation, target, world, content);
    return;
  }
  const message: Message = {
    type: 'message',
    ts: nextTs(world, now),
    ...author,
    ...content,
    ...(typeof reply.thread_ts === 'string' && { thread_ts: reply.thread_ts }),
  };
  if (reply.response_type === 'in_channel') addMessage(conversation, message);
  else addEphemeral(world, { ...message, channel: conversation.id, to: target.user });
}

/** Without `replace_original` the message is replaced, if there was one. */
function replaces(reply: Reply, { ts }: ReplyTarget): boolean {
  if (typeof reply.replace_original === 'boolean') return reply.replace_original;
  return reply.response_type === undefined && ts !== undefined;
}

function ephemeralPlace(target: ReplyTarget, world: World) {
  const list = world.ephemerals.get(target.user) ?? [];
  return { list, place: list.findIndex((words) => words.ts === target.ts) };
}

function takeAway(conversation: Conversation, target: ReplyTarget, world: World): void {
  const message = conversation.byTs.get(target.ts ?? '');
  if (message) {
    deleteMessage(conversation, message);
    return;
  }
  const { list, place } = ephemeralPlace(target, world);
  if (place >= 0) list.splice(place, 1);
}

function replace(
  conversation: Conversation,
  target: ReplyTarget,
  world: World,
  content: ReturnType<typeof readContent>,
): void {
  const message = conversation.byTs.get(target.ts ?? '');
  if (message) {
    const { blocks: _, attachments: __, ...kept } = message;
    changeMessage(conversation, { ...kept, ...content });
    return;
  }
  const { list, place } = ephemeralPlace(target, world);
  const words = list[place];
  if (!words) throw new Refusal('message_not_found');
  const { blocks: _, attachments: __, ...kept } = words;
  list[place] = { ...kept, ...content };
}
