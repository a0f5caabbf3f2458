import type { Route } from '../../../core/config/config.ts';
import { nameInMetadata, type Post } from '../../../core/posts/post.ts';
import type { SlackLinks } from '../../../core/slack/links.ts';
import type { PostMetadata, SlackMessage } from '../../../core/slack/outbox.ts';
import { type Approval, KEPT_REQUEST, messagePost, postNamed } from '../../approval.ts';
import { electorateOf } from '../../electorate/electorate.ts';
import { requesterIds } from '../../electorate/requester.ts';
import type { RouteTerms } from '../../electorate/terms.ts';
import { type AnnouncementName, announcement, OUTCOME_GIVER } from './announcement.ts';
import { featurePost, isFirst, laterPosts, notes } from './feature-words.ts';
import { approvalMessage, type MessageTerms } from './message.ts';
import type { MessageState } from './message-state.ts';
import { isOverflow, overflowCount, overflowName, overflowNumber, saysMore } from './overflow.ts';
import {
  escalationName,
  isReminder,
  openingName,
  reminderAt,
  reminderMessage,
} from './reminder.ts';
import { overflowMessage } from './request-words.ts';

/** What an approval posts in addition to its message: where, and with what content. */

/** The overflow replies, in order. */
export function overflowPosts(approval: Approval): Post[] {
  const names = Array.from({ length: overflowCount(approval) }, (_, at) => overflowName(at + 1));
  return names.map((name) => postNamed(approval, name, approval.channel));
}

/** Posts that announce the outcome, keep the request, and report the result. */
export function announcementPosts(approval: Approval, route: Route | undefined): Post[] {
  const { channel } = approval;
  const where = route?.outcomes ?? { thread: true, channel: null, requester: true };
  const posts: Post[] = [];
  const isTold = approval.posts.some(
    ({ name, ts, attempt }) => name === 'outcome-thread' && (ts ?? attempt) !== undefined,
  );
  const kept = postNamed(approval, KEPT_REQUEST, channel);
  const isKept = saysMore(approval) && !isTold && kept.failed === undefined;
  if (isKept) posts.push(kept);
  else if (where.thread) posts.push(postNamed(approval, 'outcome-thread', channel));
  if (where.channel !== null && where.channel !== channel) {
    posts.push(postNamed(approval, 'outcome-channel', where.channel));
  }
  const isAsked = where.requester && approval.requester?.user !== undefined;
  if (isAsked) posts.push(postNamed(approval, 'outcome-requester', undefined));
  const givers = new Set(Object.values(approval.outcome?.for ?? {}));
  return [
    ...posts,
    ...[...givers].map((user) => postNamed(approval, `${OUTCOME_GIVER}${user}`, undefined)),
    ...laterPosts(approval),
  ];
}

function isAnnouncement(name: string): boolean {
  return name.startsWith('outcome-');
}

/** An announcement for which nothing else is posted if Slack refuses it. */
export function isLasting(name: string): boolean {
  if (name === KEPT_REQUEST) return false;
  return isAnnouncement(name) || (featurePost(name) !== undefined && !isFirst(name));
}

/** The recipient of a direct message; undefined: it goes to a channel, or to somebody unknown. */
export function recipientOf({ requester }: Approval, name: string): string | undefined {
  return name.startsWith(OUTCOME_GIVER) ? name.slice(OUTCOME_GIVER.length) : requester?.user;
}

/** The reminder or escalation that is due now, and when the next one is. */
export function reminderPost(
  approval: Approval,
  terms: RouteTerms,
  now: number,
): { readonly post?: Post; readonly nextAt?: number } {
  const { name: reminder, nextAt: remindAt } = reminderAt(approval, terms.route?.remind, now);
  const electorate = electorateOf(approval, terms);
  const name = openingName(approval) ?? escalationName(approval, electorate) ?? reminder;
  const next = electorate.steps.find(({ at }) => at > now);
  const ahead = [remindAt, next?.at].filter((at) => at !== undefined);
  return {
    ...(name !== undefined && { post: postNamed(approval, name, approval.channel) }),
    ...(ahead.length > 0 && { nextAt: Math.min(...ahead) }),
  };
}

/** Replies go below the message; those that everybody should see also go to the channel. */
export function threadOf(
  approval: Approval,
  name: string,
): { readonly threadTs?: string; readonly replyBroadcast?: true } {
  const { ts } = messagePost(approval);
  const isLoud = isFirst(name);
  const isReply =
    featurePost(name) !== undefined ||
    [isOutcomeReply, isOverflow, isReminder].some((is) => is(name));
  if (!isReply || ts === undefined) return {};
  return { threadTs: ts, ...(isLoud && { replyBroadcast: true }) };
}

export function isOutcomeReply(name: string): boolean {
  return name === 'outcome-thread' || name === KEPT_REQUEST;
}

/** Whose names a post needs. A message that asks mentions people, which needs no names, and names the requester. */
export function namedIn(approval: Approval, name: string): readonly string[] {
  const { outcome } = approval;
  if (name === 'message') return requesterIds(approval);
  const own = featurePost(name);
  if (own !== undefined) return own.names?.(approval) ?? [];
  if (!isAnnouncement(name)) return [];
  const { by = [], for: places = {} } = outcome ?? {};
  return [...new Set([...by, ...Object.values(places)])];
}

export function contentOf(
  id: string,
  approval: Approval,
  name: string,
  state: MessageState,
  terms: MessageTerms & { readonly links: SlackLinks },
): SlackMessage {
  if (name === 'message') return approvalMessage(id, approval, state, terms);
  if (isOverflow(name)) return overflowMessage(approval, overflowNumber(name));
  if (isReminder(name)) return reminderMessage(name, approval, terms);
  const own = featurePost(name)?.content(approval, state, terms);
  if (own !== undefined) return own;
  if (approval.outcome === undefined) throw new Error('an outcome is announced once it is known');
  // as: everything else is in `announcementPosts`
  return announcement(name as AnnouncementName, approval, approval.outcome, terms);
}

/** A post's metadata. A message that names who decided repeats that in its metadata, in case the store loses it. */
export function metadataFor(
  id: string,
  approval: Approval,
  name: string,
  state: MessageState,
): PostMetadata {
  const post = { record: id, post: nameInMetadata(postNamed(approval, name, undefined)) };
  if (name !== 'message' || state.name !== 'decided' || state.by.length === 0) return post;
  const { status, credit, by, for: places, self } = state;
  const inPlaces = places && { for: Object.entries(places).join(',') };
  const { by: reviewer, at } = self?.reviewed ?? {};
  const own = self && {
    self: [self.by, ...(reviewer ? [reviewer, at] : [])].join(','),
    ...(self.isLate === true && { late: 'true' }),
  };
  const more: Readonly<Record<string, string>> = Object.assign(
    {},
    ...notes('metadata').map((each) => each(approval)),
  );
  return { ...post, status, credit, by: by.join(','), ...inPlaces, ...own, ...more };
}
