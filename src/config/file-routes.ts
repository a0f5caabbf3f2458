import type { Reviewers, Route } from './config.ts';
import {
  list,
  named,
  optional,
  type Place,
  type Reader,
  required,
  section,
} from './file-reader.ts';
import { duration, entryName, flag, oneOf, text, wholeNumber } from './file-values.ts';
import { readChannel, readGroup, readUser } from './slack-ids.ts';

export const channelId = (value: unknown) => readChannel(text(value));
export const userId = (value: unknown) => readUser(text(value));
export const groupId = (value: unknown) => readGroup(text(value));

/** Some people. */
export const peopleReader: Reader<Reviewers> = section({
  users: list(required(userId)),
  groups: list(required(groupId)),
  channel: optional(flag, false),
});

/** Whether there is anybody among them. */
export function isAnybody({ users, groups, channel }: Reviewers): boolean {
  return users.length + groups.length > 0 || channel;
}

const reasonRule = oneOf('none', 'optional', 'required');

/** The routes of the file by name. `identity`: what holds for a route that does not say. */
export function routesReader({ identity }: Pick<Route, 'identity'>): Reader<Map<string, Route>> {
  const form = section({
    channel: required(channelId),
    outcomes: section({
      thread: optional(flag, true),
      channel: optional(channelId, null),
      requester: optional(flag, true),
    }),
    reviewers: peopleReader,
    quorum: optional(wholeNumber(1, 100), 1),
    selfApproval: optional(flag, false),
    guests: optional(flag, false),
    reason: section({
      approve: optional(reasonRule, 'none'),
      reject: optional(reasonRule, 'none'),
    }),
    identity: optional(oneOf('require', 'omit'), identity),
    remind: section({
      after: optional(duration, null),
      times: optional(wholeNumber(1, 10), 3),
    }),
  });
  return named(entryName, {
    keys: form.keys,
    read(value, place) {
      let isRight = true;
      const note: Place['note'] = (path, message) => {
        isRight = false;
        place.note(path, message);
      };
      const { channel, remind, ...rest } = form.read(value, { path: place.path, note });
      // A count of people whose ids are wrong would be a second word on the same mistake.
      if (isRight) checkQuorum(rest, place);
      return {
        ...rest,
        name: String(place.path.at(-1)),
        channel: channel ?? '',
        remind: { afterMs: remind.after, times: remind.times },
      };
    },
  });
}

/** Without reviewers there is a warning instead: nobody may decide is a setting, too. */
function checkQuorum(
  { reviewers: { users, groups, channel }, quorum }: Pick<Route, 'reviewers' | 'quorum'>,
  { path, note }: Place,
): void {
  if (groups.length > 0 || channel || users.length === 0 || quorum <= users.length) return;
  note([...path, 'quorum'], 'is more than there are reviewers');
}
