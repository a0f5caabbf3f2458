import { readProxies } from '../../core/config/proxies.ts';
import { formatProblems } from '../../core/config/read-config.ts';
import { readVariables } from '../../core/config/variables.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import { EnvFileError } from '../env-file.ts';
import { EXIT, type ExitCode, Interruption } from '../terminal.ts';
import { appsPage, MANIFEST_FILE } from './app-link.ts';
import { givenManifest, manifestChanges, missingScopes } from './manifest-changes.ts';
import { createPrompts } from './prompts.ts';
import { openSettings, type SettingsFile, SettingsFileError } from './settings-file.ts';
import type { SetupNeeds } from './setup-run.ts';
import { clientWith } from './try-tokens.ts';

/** `setup --check`: what an upgrade changed in the Slack app. Ends with 1 if there is something to paste. */
export async function printChanges(needs: SetupNeeds): Promise<ExitCode> {
  const { terminal } = needs;
  try {
    using settings = openSettings(terminal.env, { file: needs.file, isDry: true });
    return await compare(needs, settings);
  } catch (error) {
    if (error instanceof Interruption) return EXIT.interrupted;
    if (!(error instanceof EnvFileError) && !(error instanceof SettingsFileError)) throw error;
    terminal.stderr.write(`${error.message}\n`);
    return EXIT.usage;
  }
}

function isAsked({ terminal: { stdin, stderr } }: SetupNeeds): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

async function compare(needs: SetupNeeds, settings: SettingsFile): Promise<ExitCode> {
  const { stdout, stderr } = needs.terminal;
  const { values, problems } = readVariables(settings.env, 'doctor', ['SLACK_API_URL']);
  const { proxies, problems: ofProxies } = readProxies(settings.env);
  if (problems.length + ofProxies.length > 0) {
    stderr.write(formatProblems([...problems, ...ofProxies]));
    return EXIT.usage;
  }
  const apiUrl = values.SLACK_API_URL === undefined ? null : `${values.SLACK_API_URL}/`;
  const token = settings.get('SLACK_BOT_TOKEN');
  const client =
    token === undefined ? null : clientWith(token, { apiUrl, proxies, system: needs.system });
  const missing = client === null ? null : await missingScopes(client);
  if (missing instanceof RemoteFailure) {
    stderr.write(`Slack could not be asked which scopes are granted (${missing.code}).\n`);
  }
  const ungranted = missing === null || missing instanceof RemoteFailure ? [] : missing;
  const given = givenManifest(settings.path);
  const changes = given === undefined ? undefined : await manifestChanges(given);
  const listed = changes?.lines ?? [];
  const lines = [
    ...listed,
    ...ungranted
      .filter((scope) => !listed.includes(`+ scope ${scope}`))
      .map((scope) => `+ scope ${scope} (not granted)`),
  ];
  if (changes === undefined) {
    stderr.write(
      `There is no ${MANIFEST_FILE} beside ${settings.path}, so only the scopes were compared. Commands, events and buttons show when somebody uses them.\n`,
    );
  }
  if (lines.length === 0) {
    stdout.write(changes === undefined ? 'All scopes are granted.\n' : 'The app is up to date.\n');
    return EXIT.done;
  }
  stdout.write(`${lines.join('\n')}\n`);
  const words = changes?.words ?? '--socket';
  const again = lines.some((line) => line.startsWith('+ scope')) ? ', then reinstall the app' : '';
  stderr.write(
    `\nOpen your app at ${appsPage(apiUrl)}, choose App Manifest, and paste what\n  gatepost manifest ${words}\nprints${again}.\n`,
  );
  if (changes === undefined || !isAsked(needs)) return EXIT.notDone;
  using prompts = createPrompts(needs.terminal);
  if (!(await prompts.confirm('Is it pasted and saved?', false))) return EXIT.notDone;
  using writable = openSettings(needs.terminal.env, { file: needs.file, isDry: false });
  writable.writeBeside(MANIFEST_FILE, changes.manifest);
  return EXIT.done;
}
