import type { Answer, Exchange } from '../exchange.ts';
import { type Args, readArgs, requireArgs, textArg } from './args.ts';
import type { Events } from './events.ts';
import type { InstalledApp } from './installed-app.ts';
import type { Manifest } from './manifest.ts';
import { Refusal, refusalWith } from './refusal.ts';
import { type RequestContext, withoutToken } from './request-context.ts';
import { blocksMethods } from './routes/blocks.ts';
import { chatMethods } from './routes/chat.ts';
import { conversationMethods } from './routes/conversations.ts';
import { appMethods, identityMethods } from './routes/identity.ts';
import { messageMethods } from './routes/messages.ts';
import { reactionMethods } from './routes/reactions.ts';
import { scheduledMethods } from './routes/scheduled.ts';
import { streamMethods } from './routes/streams.ts';
import { testMethods } from './routes/test.ts';
import { userGroupMethods } from './routes/user-groups.ts';
import { userMethods } from './routes/users.ts';
import { viewMethods } from './routes/views.ts';
import type { TierLimits } from './tier-limits.ts';
import { anyError, type MethodWorld, type WebMethod, type WebMethods } from './web-method.ts';
import type { WorkspaceFault } from './workspace-handle.ts';
import { isOrganizationInstall, type World } from './world.ts';

/** Every method of this workspace. */
export const webMethods: WebMethods = {
  ...appMethods,
  ...blocksMethods,
  ...chatMethods,
  ...conversationMethods,
  ...identityMethods,
  ...messageMethods,
  ...reactionMethods,
  ...scheduledMethods,
  ...streamMethods,
  ...testMethods,
  ...userGroupMethods,
  ...userMethods,
  ...viewMethods,
};

export interface WebApiNeeds extends RequestContext {
  readonly manifest: Manifest;
  readonly tell: Events['tell'];
  readonly botToken: string;
  readonly appToken: string;
  readonly newSocketUrl: () => string;
  readonly scopes: readonly string[];
  readonly refusal: InstalledApp['refusal'];
  readonly tierLimits: TierLimits;
  readonly later: MethodWorld['later'];
}

/** Answers a call of a method: HTTP 200 with `ok` true or false, or a 429. */
export function createWebApi(needs: WebApiNeeds) {
  const { memory, now, newSocketUrl } = needs;
  const provided = () => needs.scopes.join(',');
  const hasScope = (scope: string): boolean => needs.scopes.includes(scope);
  const needScope = (needed: string): void => {
    if (!hasScope(needed)) throw new Refusal('missing_scope', { needed, provided: provided() });
  };

  const atOf = (note: MethodWorld['note']): MethodWorld => ({
    ...needs,
    world: memory.world,
    needScope,
    hasScope,
    newSocketUrl,
    note,
  });
  const run = (method: string, token: string, args: Args, note: MethodWorld['note']) => {
    const found = Object.hasOwn(webMethods, method) ? webMethods[method] : undefined;
    if (!found) throw new Refusal('unknown_method', { req_method: method });
    if (found.isTest) return found.run(args, atOf(note));
    if (token === '') throw new Refusal('not_authed');
    const [right, other] = [needs.botToken, needs.appToken];
    checkToken(token, found.token === 'app' ? [other, right] : [right, other]);
    const refusal = needs.refusal();
    if (refusal !== null) throw new Refusal(refusal);
    const waitMs = needs.tierLimits.take(method, now());
    if (waitMs > 0) throw new Refusal('ratelimited', { waitMs });
    if (found.scope) needScope(found.scope);
    checkArgs(args, found, memory.world);
    for (const name of found.ignored ?? []) {
      if (isMeant(name, args[name])) note(`${name} has no effect here`);
    }
    return onlyListed(found, () => found.run(args, atOf(note)));
  };

  return async (exchange: Exchange, method: string): Promise<void> => {
    const { token, args, refusal } = readCall(exchange);
    const headers = withoutToken(exchange.headers);
    const answered = needs.journal.arrive({ method, args, headers, at: now() });
    const matches = (fault: WorkspaceFault): boolean =>
      fault.method === undefined || fault.method === method;
    const answer = await needs.faults.carryOut(exchange, { request: args, matches }, () => {
      const notes: string[] = [];
      const given = answerOf(() => {
        if (refusal) throw refusal;
        return run(method, token, args, (words) => notes.push(words));
      });
      needs.changed();
      return { ...given, notes, headers: { 'x-oauth-scopes': provided(), ...given.headers } };
    });
    answered(answer);
  };
}

function checkArgs(
  args: Args,
  { required = [], mayBeEmpty = [], optional = [], ignored = [], ofTeam }: WebMethod,
  world: World,
): void {
  requireArgs(args, required, mayBeEmpty);
  // Bolt's client adds the team to every call; methods without a team ignore it.
  const known = [...required, ...optional, ...ignored, 'team_id'];
  const others = Object.keys(args).filter((name) => !known.includes(name));
  if (ofTeam && isOrganizationInstall(world) && textArg(args, 'team_id') === '') {
    throw new Refusal('missing_argument');
  }
  if (others.length === 0) return;
  throw refusalWith(
    'invalid_arguments',
    others.map((name) => `the sandbox does not imitate the argument: ${name}`),
  );
}

/** Whether an argument asks for something that would not happen anyway. */
function isMeant(name: string, value: unknown): boolean {
  if (value === undefined) return false;
  const usual = name === 'mrkdwn' ? 'true' : name === 'parse' ? 'none' : 'false';
  return String(value) !== usual;
}

/** An error that the method does not list is a fault of the sandbox. */
function onlyListed<Result>({ errors = [] }: WebMethod, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (anyError.includes(error.code) || errors.includes(error.code)) throw error;
    throw new Error(`The method does not list ${error.code}.`);
  }
}

/** Throws unless it is the right one of the two. */
function checkToken(token: string, [right, other]: readonly [string, string]): void {
  if (token === right) return;
  throw new Refusal(token === other ? 'not_allowed_token_type' : 'invalid_auth');
}

/** The token is in the Authorization header or an argument. */
function readCall(exchange: Exchange): { token: string; args: Args; refusal?: Refusal } {
  const header = /^Bearer (\S+)$/i.exec(exchange.headers.authorization ?? '')?.[1];
  try {
    const type = exchange.headers['content-type'] ?? '';
    const { token, ...args } = readArgs(exchange.body, type, exchange.query);
    return { token: header ?? (typeof token === 'string' ? token : ''), args };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { token: '', args: {}, refusal: error };
  }
}

function answerOf(work: () => Readonly<Record<string, unknown>>): Answer {
  try {
    return { status: 200, body: { ok: true, ...work() } };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === 'ratelimited') return tooMany(error);
    return { status: 200, body: { ok: false, error: error.code, ...error.facts } };
  }
}

function tooMany(error: Refusal): Answer {
  const seconds = Math.max(1, Math.ceil(Number(error.facts.waitMs) / 1000));
  return {
    status: 429,
    headers: { 'retry-after': String(seconds) },
    body: { ok: false, error: 'ratelimited' },
  };
}
