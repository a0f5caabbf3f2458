import type { Reviewers } from './config.ts';
import { Unfit } from './environment.ts';
import { isGroupId, isUserId } from './slack-ids.ts';

/** Reads ids of people (U…, W…) and user groups (S…), and `channel`. Throws Unfit. */
export function readReviewers(entries: readonly string[]): Reviewers {
  const users: string[] = [];
  const groups: string[] = [];
  let channel = false;
  for (const [index, entry] of entries.entries()) {
    if (isUserId(entry)) users.push(entry);
    else if (isGroupId(entry)) groups.push(entry);
    else if (entry === 'channel') channel = true;
    else throw new Unfit(`entry ${index + 1} must be an id (U…, W… or S…) or the word channel`);
  }
  return { users: [...new Set(users)], groups: [...new Set(groups)], channel };
}
