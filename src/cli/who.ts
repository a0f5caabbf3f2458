import type { Command } from 'commander';
import { count, type Needs, need, type Reviewers, reviewers } from '../../ask/option-values.ts';
import { givenAsker } from '../../ask/requested-by.ts';
import { linkedUser } from '../approvals/electorate/requester.ts';
import { ALL, routesNamed } from '../approvals/ways-in/routes-named.ts';
import {
  type Imagined,
  type WhoCore,
  type WhoIsAsked,
  whoIsAsked,
} from '../approvals/ways-in/who/who-is-asked.ts';
import { whoText } from '../approvals/ways-in/who/who-words.ts';
import type { Config, Route } from '../core/config/config.ts';
import { connectThrough } from '../core/http/exchange.ts';
import { cleanLine } from '../core/lib/clean-line.ts';
import { ageClock } from '../core/lib/clock.ts';
import { RemoteFailure } from '../core/lib/failure.ts';
import { iso } from '../core/lib/iso-time.ts';
import type { System } from '../core/lib/system.ts';
import { TRUE_TIME } from '../core/lib/timing.ts';
import { askIdentityOnce } from '../core/slack/identity.ts';
import { createLookup } from '../core/slack/lookup.ts';
import { personIfAny } from '../core/slack/slack-person.ts';
import { createWebClients } from '../core/slack/web-clients.ts';
import { Memory } from '../core/store/memory/memory-store.ts';
import { visitStore } from '../core/store/open-store.ts';
import { withBotSettings } from './bot-settings.ts';
import { EXIT, type ExitCode, print, type Terminal } from './terminal.ts';

interface Options {
  readonly route?: string;
  readonly requestedBy?: string;
  readonly need?: Needs;
  readonly reviewers?: Reviewers;
  readonly quorum?: number;
  readonly json?: true;
}

/** `who`: reads Slack and the bot's own store, asks nobody, and posts nothing. */
export function addWho(
  who: Command,
  terminal: Terminal,
  system: System,
  onEnd: (code: ExitCode) => void,
): void {
  who
    .option('--route <name>', 'the route; needed where there are several')
    .option('--requested-by <who>', 'who would ask, as for gatepost ask')
    .option('--need <name=ids>', 'who else would have to approve, as for gatepost ask', need)
    .option('--reviewers <people>', 'only these of the reviewers', reviewers)
    .option('--quorum <count>', "how many approvals, if more than the route's", count)
    .option('--json', 'print one JSON object')
    .action(async (options: Options, command: Command) => {
      onEnd(await show(terminal, system, command, options));
    });
}

async function show(
  terminal: Terminal,
  system: System,
  command: Command,
  options: Options,
): Promise<ExitCode> {
  const asker = givenAsker({}, options.requestedBy) ?? {};
  if (asker.problem !== undefined) command.error(`error: ${asker.problem}`);
  const trouble = () => 'The store did not answer. Check REDIS_URL and DATA_DIR.';
  return withBotSettings(terminal, trouble, async (config) => {
    const route = routeOf(config, options.route);
    if (typeof route === 'string') return command.error(`error: ${route.replaceAll('`', '"')}`);
    return inWorkspace(terminal, system, config, async (core) => {
      const named = await reviewersOf(core, options.reviewers);
      if (named === 'nobody') {
        terminal.stderr.write('Slack shows nobody with one of the addresses of --reviewers.\n');
        return EXIT.usage;
      }
      const { requestedBy } = asker;
      const { need, quorum } = options;
      const request: Imagined = {
        ...(requestedBy !== undefined && { requestedBy }),
        ...(need !== undefined && { need }),
        ...(named !== undefined && { reviewers: named }),
        ...(quorum !== undefined && { quorum }),
      };
      const asked = await whoIsAsked(core, route, request);
      const text = options.json
        ? JSON.stringify(viewOf(asked))
        : await plainText(core, whoText(asked, route));
      await print(terminal, `${text}\n`);
      return asked.isPartial ? EXIT.notDone : EXIT.done;
    }).catch((error: unknown) => {
      if (!(error instanceof RemoteFailure)) throw error;
      terminal.stderr.write(`Slack did not answer (${error.code}). Check with gatepost doctor.\n`);
      return EXIT.notDone;
    });
  });
}

/** Or why it is none. */
function routeOf(config: Config, name: string | undefined): Route | string {
  const [only, ...others] = config.routes;
  if (name === undefined && only !== undefined && others.length === 0) return only;
  const named = name ?? '';
  const found = named.toLowerCase() === ALL ? 'Which route?' : routesNamed(config, named);
  if (typeof found === 'string') return found;
  return found[0] ?? 'Which route?';
}

/** With what a bot reads when it starts. */
async function inWorkspace(
  terminal: Terminal,
  system: System,
  config: Config,
  run: (core: WhoCore) => Promise<ExitCode>,
): Promise<ExitCode> {
  const timing = TRUE_TIME;
  const clients = createWebClients(
    { ...config.slack, logger: { warn() {} } },
    { ...system, timing, connect: connectThrough(config.proxies) },
  );
  const client = clients.lookup;
  const me = await askIdentityOnce(client);
  if (me instanceof RemoteFailure) throw me;
  const ages = ageClock(system.clock);
  const { isOfOrganisation, teamId, enterpriseId } = me;
  const visited = await visitStore(config, system);
  if (visited === null) terminal.stderr.write(`${NO_STORE}\n`);
  await using store = visited ?? new Memory(system).openStore();
  // Awaited here: the store is closed at the end.
  return await run({
    ...{ config, store, ages, timing, timers: system.timers },
    lookup: createLookup({ client, isOfOrganisation, clock: ages, timers: system.timers, timing }),
    workspace: { team: teamId, enterprise: enterpriseId, teams: config.teams },
  });
}

const NO_STORE =
  'There is no Gatepost store here (REDIS_URL, DATA_DIR), so absences and closed routes are not known.';

/** By Slack id. Throws RemoteFailure. */
async function reviewersOf({ config, lookup }: WhoCore, given: Reviewers | undefined) {
  if (given === undefined) return undefined;
  const { emails = [], users, groups } = given;
  const found = await Promise.all(
    emails.map(async (email) => linkedUser(config, { email }) ?? lookup.userByEmail(email)),
  );
  const known = found.filter((each) => each !== undefined);
  return known.length < found.length ? 'nobody' : { users: [...users, ...known], groups };
}

/** Times as ISO text; `afterMs` in milliseconds. */
function viewOf({ route, barred, away, rules: _, ...asked }: WhoIsAsked) {
  return {
    route,
    ...barred,
    ...asked,
    requester: asked.requester ?? null,
    away: away.map(({ ids, until, substitute = null }) => ({
      user: ids.at(-1),
      until: iso(until),
      substitute,
    })),
  };
}

const USERS_MAX = 200;

/** Slack's text for a terminal, with people's names. */
async function plainText({ lookup }: WhoCore, text: string): Promise<string> {
  const users = [...new Set([...text.matchAll(/<@(\w+)>/g)].map(([, id = '']) => id))];
  const names = new Map<string, string>();
  for (const user of users.slice(0, USERS_MAX)) {
    const person = await personIfAny(lookup.recent, user).catch(whenFailed);
    if (person) names.set(user, `${cleanLine(person.displayName)} (${user})`);
  }
  return text
    .replace(/<@(\w+)>/g, (_, id: string) => names.get(id) ?? id)
    .replace(/<!subteam\^(\w+)>/g, '$1')
    .replace(/<#(\w+)>/g, '$1')
    .replace(/<!date\^[^|>]{1,80}\|([^>]{1,80})>/g, '$1')
    .replace(/:warning: |[*`]/g, '')
    .replaceAll('•', ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** Their id is shown. */
function whenFailed(error: unknown): undefined {
  if (error instanceof RemoteFailure) return undefined;
  throw error;
}
