import { checkInvitation } from './check-invitation.ts';
import { type Invitation, waitForInvitations } from './invitations.ts';
import { change, type Run, SetupStop } from './setup-run.ts';
import type { Bot } from './try-tokens.ts';
import { findReviewers, type Place, placesOf, readPlace } from './workspace.ts';

/** The channel, and who decides there: an invitation says both. */
export async function takePlace(run: Run, bot: Bot): Promise<void> {
  const { settings, prompts } = run;
  const before = settings.get('GATEPOST_CHANNEL');
  const wanted = run.channel ?? (run.reviewers === undefined ? undefined : before);
  const isSet = before !== undefined && settings.get('GATEPOST_REVIEWERS') !== undefined;
  if (isSet && wanted === undefined) {
    const { place, isMember, fault } = await readPlace(bot, before);
    if (fault === undefined && isMember) {
      // Only to say whether another program is connected.
      await using _ = await listen(run, bot, [place]);
      return;
    }
    prompts.say(fault ?? `Gatepost is not in ${place.name}: invite it there.`);
  }
  const found = await findPlace(run, bot, wanted);
  const people = found.people ?? (await askReviewers(run, bot, found.place));
  const administrators = people.filter((id) => id !== 'channel').join(',');
  const isNew = settings.get('GATEPOST_ADMINISTRATORS') === undefined && administrators !== '';
  await change(run, {
    GATEPOST_CHANNEL: found.place.id,
    GATEPOST_REVIEWERS: people.join(','),
    ...(isNew && { GATEPOST_ADMINISTRATORS: administrators }),
  });
}

interface Found {
  readonly place: Place;
  /** undefined: still to be asked for. */
  readonly people?: readonly string[];
}

async function findPlace(run: Run, bot: Bot, wanted: string | undefined): Promise<Found> {
  const { prompts } = run;
  const known = await placesOf(bot);
  for (const place of known) {
    const isWanted = wanted === undefined ? known.length <= KNOWN_ASKED : isNamed(place, wanted);
    const found = isWanted
      ? await consider({ channel: place.id, inviter: null }, run, bot)
      : undefined;
    if (found !== undefined) return found;
  }
  await using invitations = await listen(run, bot, known);
  const name = wanted === undefined ? 'the channel where people decide' : `the channel ${wanted}`;
  prompts.say(`3. In Slack, invite the bot to ${name}: type /invite @Gatepost there. Waiting …`);
  for (;;) {
    const invitation = await invitations.next();
    const found = await consider(invitation, run, bot, wanted);
    if (found !== undefined) return found;
    prompts.say('Waiting for another invitation …');
  }
}

/** Says if another program with the same app is connected. */
function listen({ access, prompts, settings, isHttp }: Run, bot: Bot, known: readonly Place[]) {
  return waitForInvitations({
    ...access,
    bot,
    known,
    appToken: isHttp ? null : (settings.get('SLACK_APP_TOKEN') ?? null),
    onUnconnected: () => prompts.say(UNCONNECTED),
    onShared: (count) => prompts.say(`${SHARED} (${count} connections in all). ${STOP_IT}`),
    signal: prompts.signal,
  });
}

const SHARED = 'Another program with this app is connected to Slack';
const UNCONNECTED =
  "Slack does not open a connection. Is Socket Mode on in the app's settings, and do fewer than ten connections use it? Trying again …";
const STOP_IT = 'It receives a part of the events and presses: stop it while you set up.';

/** Of more channels that it is in already, none is offered: the invitation says which one. */
const KNOWN_ASKED = 3;

function isNamed({ id, name }: Place, wanted: string): boolean {
  return id === wanted || name === `#${wanted.replace(/^#/, '')}`;
}

/** undefined: not there. */
async function consider(
  invitation: Invitation,
  run: Run,
  bot: Bot,
  wanted?: string,
): Promise<Found | undefined> {
  const { prompts, reviewers } = run;
  const { place, person, is, fault, barred } = await checkInvitation(invitation, bot);
  if (fault !== undefined) return void prompts.say(`${is} ${fault} Invite it to another one.`);
  if (wanted !== undefined && !isNamed(place, wanted)) return void prompts.say(is);
  if (reviewers !== undefined) {
    const found = await findReviewers(reviewers, bot);
    if (!found.ok) throw new SetupStop(`--reviewers: ${found.sentence}`);
    prompts.say(is);
    return { place, people: found.ids };
  }
  if (person !== undefined && barred === undefined) {
    const question = `${is} Ask there, with them as reviewer and administrator?`;
    return (await prompts.confirm(question, true)) ? { place, people: [person.id] } : undefined;
  }
  const question =
    barred === undefined
      ? `${is} Ask there?`
      : `${is} ${barred} Ask there, with somebody else as reviewer?`;
  return (await prompts.confirm(question, true)) ? { place } : undefined;
}

async function askReviewers({ prompts, reviewers }: Run, bot: Bot, place: Place) {
  for (let given = reviewers; ; given = undefined) {
    const list =
      given ?? (await prompts.line(`Who decides in ${place.name}? Names or e-mail addresses:`));
    const found = await findReviewers(list, bot);
    if (found.ok) return found.ids;
    prompts.say(found.sentence);
  }
}
