import type { Route } from '../../../core/config/config.ts';
import { union } from '../../../core/config/values.ts';
import type { Core } from '../../../core/core.ts';
import { RemoteFailure } from '../../../core/lib/failure.ts';
import { foldTyped, isHelp } from '../../../core/lib/fold-typed.ts';
import { authorizePerson } from '../../../core/people/permission.ts';
import type { Present } from '../../../core/slack/answer-person.ts';
import type { ReplyContent } from '../../../core/slack/replies.ts';
import { code, joinSentences } from '../../../core/slack/text.ts';
import { StoreError } from '../../../core/store/store.ts';
import { decidersOf } from '../../electorate/deciders.ts';
import type { MoreWords } from '../list/slack.ts';
import { ALL, routesNamed } from '../routes-named.ts';
import { whoIsAsked } from './who-is-asked.ts';
import { whoText } from './who-words.ts';

/** `/approvals who`. */
export const whoWords: MoreWords = {
  read(text) {
    const [, of] = /^who(?: (.*))?$/iu.exec(foldTyped(text)) ?? [];
    if (!/^who\b/iu.test(foldTyped(text)) || isHelp(of ?? '')) return undefined;
    return (core, present) => answerWho(core, present, of ?? '');
  },

  help: '*`/approvals who production`* shows who would be asked on a route, and why (its reviewers and Gatepost administrators). Nobody is asked.',
};

async function answerWho(core: Core, present: Present, of: string): Promise<ReplyContent> {
  const text = await textFor(core, present, of).catch((error: unknown) => {
    if (error instanceof StoreError) return UNREAD;
    if (error instanceof RemoteFailure) return UNCHECKED;
    throw error;
  });
  return { text };
}

async function textFor(core: Core, present: Present, of: string): Promise<string> {
  const named = of === '' && core.config.routes.length === 1 ? core.config.routes : undefined;
  const routes = named ?? (of.toLowerCase() === ALL ? WHICH : routesNamed(core.config, of));
  if (typeof routes === 'string') return joinSentences(routes, EXAMPLE);
  const [route] = routes;
  if (route === undefined) return joinSentences(WHICH, EXAMPLE);
  const permission = await mayRead(core, present, route);
  if (permission === 'unchecked') return UNCHECKED;
  if (permission === 'no') return notAllowed(route.name);
  return whoText(await whoIsAsked(core, route), route);
}

/** Reviewers of the route, now or later, and administrators. Throws RemoteFailure. */
async function mayRead(
  core: Core,
  { user, channel }: Present,
  route: Route,
): Promise<'yes' | 'no' | 'unchecked'> {
  const deciders = decidersOf(route);
  const who = { ...union(core.config.administrators, deciders), channel: false };
  const { kind } = await authorizePerson(core, who, { user, channel });
  if (kind === 'allowed') return 'yes';
  if (deciders.channel && (await core.lookup.recent.isMember(route.channel, user))) return 'yes';
  return kind === 'failed' ? 'unchecked' : 'no';
}

function notAllowed(route: string): string {
  return `Only reviewers of route ${code(route)} and Gatepost administrators can see who would be asked.`;
}

const WHICH = 'Which route?';
const EXAMPLE = 'Type for example `/approvals who production`.';
const UNREAD = 'Gatepost could not read that just now. Try again in a minute.';
const UNCHECKED = 'Gatepost could not check with Slack who you are. Try again in a minute.';
