import { notRead } from '../../people/not-read.ts';
import { type AnswerNeeds, answerPerson, type Present } from '../../slack/answer-person.ts';
import type { Permalink } from '../../slack/permalink.ts';
import { messagePart } from '../approval.ts';
import { type Listing, type ListNeeds, listRequests } from './list-requests.ts';
import { listingMessage } from './listing-message.ts';
import type { OpenRequest } from './look-through.ts';
import type { View } from './view.ts';

export interface ShowNeeds extends ListNeeds, AnswerNeeds {
  readonly permalink: Permalink;
  /** On the store's clock. */
  readonly now: () => number;
}

/**
 * Shows a person their lists, in a message of its own or, with `replace`, in the place of the one they
 * pressed a button of. Throws ReadError when they could not be read, and RemoteFailure when nothing
 * could be shown.
 */
export async function showRequests(
  needs: ShowNeeds,
  present: Present,
  view: View,
  { replace }: { readonly replace: boolean },
): Promise<void> {
  const { user } = present;
  const listing = await listRequests(needs, user, view).catch(notRead);
  const links = await linksTo(needs, listing);
  const message = listingMessage(listing, view, {
    user,
    routeNamed: (name) => needs.routes.find((route) => route.name === name),
    linkOf: ({ id }) => links.get(id),
    now: needs.now(),
  });
  await answerPerson(needs, present, { ...message, replace });
}

/** By the request's id. All are asked for at once, and most are known. */
async function linksTo(
  { permalink }: ShowNeeds,
  { waiting, asked }: Listing,
): Promise<ReadonlyMap<string, string>> {
  const links = new Map<string, string>();
  const note = async ({ id, approval }: OpenRequest) => {
    const { ts } = messagePart(approval);
    const link = ts === undefined ? undefined : await permalink(approval.channel, ts);
    if (link !== undefined) links.set(id, link);
  };
  await Promise.all([...(waiting?.requests ?? []), ...(asked?.requests ?? [])].map(note));
  return links;
}
