import * as z from 'zod';
import { cleanLine } from '../../core/lib/clean-line.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import { MEMBERSHIPS } from '../../core/people/denials.ts';
import { membershipOf } from '../../core/people/membership.ts';
import { callSlack } from '../../core/slack/call-slack.ts';
import { askWorkspaces } from '../../core/slack/identity.ts';
import { readSlackPerson, type SlackPerson, userSchema } from '../../core/slack/slack-person.ts';
import type { Bot } from './try-tokens.ts';

/** What the setup reads in the workspace: channels the bot is in, and people. All throw RemoteFailure. */

export interface Place {
  readonly id: string;
  /** With its #. */
  readonly name: string;
}

const channelSchema = z.looseObject({
  id: z.string(),
  name: z.string().optional(),
  is_member: z.boolean().optional(),
  is_archived: z.boolean().optional(),
  is_ext_shared: z.boolean().optional(),
  is_pending_ext_shared: z.boolean().optional(),
});
type Channel = z.infer<typeof channelSchema>;

const placeOf = ({ id, name }: Channel): Place => ({ id, name: `#${cleanLine(name ?? id)}` });

const info = z.looseObject({ channel: channelSchema });

/** `fault`: why people cannot decide there. */
export async function readPlace(
  { client }: Bot,
  channel: string,
): Promise<{ readonly place: Place; readonly isMember: boolean; readonly fault?: string }> {
  const read = (await callSlack(client, 'conversations.info', { channel }, info)).channel;
  const place = placeOf(read);
  const fault = faultOf(read);
  const isMember = read.is_member !== false;
  return { place, isMember, ...(fault !== undefined && { fault: `${place.name} ${fault}` }) };
}

function faultOf(channel: Channel): string | undefined {
  if (channel.is_archived) return 'is archived, so nobody can decide there.';
  if (channel.is_ext_shared || channel.is_pending_ext_shared) {
    return 'is shared with another company, whose people would see every request.';
  }
  return undefined;
}

const channelPage = z.looseObject({ channels: z.array(channelSchema) });

/** The channels that the bot is in, at most a thousand of each workspace. */
export async function placesOf({ client, isOfOrganisation }: Bot): Promise<readonly Place[]> {
  // The token of a whole organisation has to say which workspace it asks about.
  const teams = isOfOrganisation
    ? (await askWorkspaces(client)).map(({ id }) => ({ team_id: id }))
    : [{}];
  const kinds = { types: 'public_channel,private_channel', exclude_archived: true, limit: 1_000 };
  const pages = await Promise.all(
    teams.map((team) =>
      callSlack(client, 'users.conversations', { ...kinds, ...team }, channelPage),
    ),
  );
  return pages.flatMap(({ channels }) => channels.map(placeOf));
}

const found = z.looseObject({ user: userSchema });

export async function readPerson({ client }: Bot, user: string): Promise<SlackPerson> {
  return readSlackPerson((await callSlack(client, 'users.info', { user }, found)).user);
}

/** Why somebody cannot decide, to follow their name; undefined: they can. */
export function personFault(person: SlackPerson, bot: Bot): string | undefined {
  const workspace = { team: bot.teamId, enterprise: bot.enterpriseId, teams: [] };
  const membership = membershipOf(person, { ...workspace, guests: false });
  return membership === 'member' ? undefined : `is ${MEMBERSHIPS[membership].is} and cannot decide`;
}

export function nameOf({ displayName }: SlackPerson): string {
  return cleanLine(displayName);
}

const USER = /^[UW][A-Z0-9]{2,}$/;
const GROUP = /^S[A-Z0-9]{2,}$/;
const CHANNEL_WORD = 'channel';

/** Who decides, as GATEPOST_REVIEWERS says it, or why one of them cannot. */
export type Reviewers =
  | { readonly ok: true; readonly ids: readonly string[]; readonly names: readonly string[] }
  | { readonly ok: false; readonly sentence: string };

/** Finds people by id, e-mail address or name; ids of user groups and the word `channel` are taken as they are. */
export async function findReviewers(list: string, bot: Bot): Promise<Reviewers> {
  const words = list.split(',').flatMap((word) => word.trim() || []);
  if (words.length === 0) return { ok: false, sentence: 'Name somebody.' };
  const ids: string[] = [];
  const names: string[] = [];
  for (const word of words) {
    if (GROUP.test(word) || word === CHANNEL_WORD) {
      ids.push(word);
      names.push(word === CHANNEL_WORD ? 'anyone in the channel' : word);
      continue;
    }
    const people = await peopleLike(word, bot);
    const [person, other] = people;
    if (person === undefined)
      return { ok: false, sentence: `Nobody here is called ${cleanLine(word)}.` };
    if (other !== undefined) {
      return {
        ok: false,
        sentence: `Several people are called ${cleanLine(word)}. Give an e-mail address.`,
      };
    }
    const fault = personFault(person, bot);
    if (fault !== undefined) return { ok: false, sentence: `${nameOf(person)} ${fault}.` };
    ids.push(person.id);
    names.push(nameOf(person));
  }
  return { ok: true, ids, names };
}

async function peopleLike(word: string, bot: Bot): Promise<readonly SlackPerson[]> {
  try {
    if (USER.test(word)) return [await readPerson(bot, word)];
    if (word.includes('@', 1)) {
      const { user } = await callSlack(bot.client, 'users.lookupByEmail', { email: word }, found);
      return [readSlackPerson(user)];
    }
  } catch (error) {
    if (error instanceof RemoteFailure && /^users?_not_found$/.test(error.code)) return [];
    throw error;
  }
  const name = folded(word.replace(/^@/, ''));
  const all = await readPeople(bot);
  const named = all.filter((each) => namesOf(each).some((it) => it === name));
  const begun = all.filter((each) => namesOf(each).some((it) => it.startsWith(`${name} `)));
  return (named.length > 0 ? named : begun).map(readSlackPerson);
}

const folded = (name: string | undefined) => name?.trim().toLowerCase() ?? '';

function namesOf({ name, real_name, profile, deleted, is_bot }: z.infer<typeof userSchema>) {
  if (deleted || is_bot) return [];
  return [name, real_name, profile?.display_name, profile?.real_name].map(folded);
}

const PAGES_MAX = 10;

const userPage = z.looseObject({
  members: z.array(userSchema),
  response_metadata: z.looseObject({ next_cursor: z.string().optional() }).optional(),
});

/** Reads at most 10,000 people; find others by e-mail address. */
async function readPeople({ client, isOfOrganisation, teamId }: Bot) {
  const all: z.infer<typeof userSchema>[] = [];
  const team = isOfOrganisation ? {} : { team_id: teamId };
  let cursor: string | undefined;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const parameters = { limit: 1_000, cursor, ...team };
    const read = await callSlack(client, 'users.list', parameters, userPage);
    all.push(...read.members);
    cursor = read.response_metadata?.next_cursor || undefined;
    if (cursor === undefined) break;
  }
  return all;
}
