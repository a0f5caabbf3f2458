import { readFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { type Manifest, readManifest } from './workspace/manifest.ts';
import { type RequestUrls, urlsOf } from './workspace/request-urls.ts';
import { namedSeed, type Seed } from './workspace/seed.ts';
import type { WorkspaceFault } from './workspace/workspace-handle.ts';

const PORT = 4100;
/** The same at every start, so that the app's environment can stay unchanged. */
const SECRET = 'sandbox-signing-secret';

export const USAGE = `Usage: slack-sandbox --app URL [options]
       slack-sandbox --socket-mode [options]
       slack-sandbox … -- COMMAND, as slack-sandbox --socket-mode -- node app.js

Opens a Slack workspace on this machine for an app that you develop.

  --app URL              where the app takes events, interactivity and commands,
                         as http://localhost:3000/slack/events. With a manifest the paths of its
                         URLs are used on this host
  --events URL           in place of --app for events
  --interactivity URL    in place of --app for buttons, modals, shortcuts and options
  --commands URL         in place of --app for commands
  --socket-mode          the app connects by itself, and needs no URL
  --manifest FILE        the app's manifest (YAML or JSON): its name, scopes, commands, shortcuts,
                         events and tabs. Without it everything is granted and delivered
  --port NUMBER          of the workspace and its page; default ${PORT}
  --signing-secret TEXT  default "${SECRET}"
  --users NAMES          people, instead of those of the example: "Kim Lee,Pat Fox"
  --channels NAMES       channels, instead of those of the example: "general,random"
  --tier-limits          also limits each method to the calls in a minute that its tier promises
  --fault FAULT          breaks something, can be repeated: KIND[,method=METHOD][,times=N][,ms=N]
                         [,retryAfter=SECONDS][,error=CODE]
                         kinds: latency, slowAnswer, 429, 500, dropBefore, dropAfter, reset, refused
  --help
  -- COMMAND             starts the app and ends with it: with its tokens and signing secret in the
                         environment, and for Node every call of slack.com sent to the sandbox
`;

/** Invalid arguments. */
export class UsageError extends Error {}

const kinds = [
  'latency',
  'slowAnswer',
  '429',
  '500',
  'dropBefore',
  'dropAfter',
  'reset',
  'refused',
] as const;

export interface Settings {
  readonly requestUrl: RequestUrls | null;
  readonly manifest: string | undefined;
  readonly port: number;
  readonly signingSecret: string;
  readonly hasTierLimits: boolean;
  readonly seed: Seed;
  readonly faults: readonly WorkspaceFault[];
  /** Starts the app: a program and its arguments. */
  readonly command?: readonly string[];
}

/** Throws UsageError; undefined: help is requested. */
export async function readSettings(words: readonly string[]): Promise<Settings | undefined> {
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  const options = parsed(words.slice(0, end));
  if (options.help) return undefined;
  const manifest = await manifestIn(options.manifest);
  return {
    ...commandIn(words.slice(end)),
    requestUrl: requestUrlsOf(options, manifest),
    manifest: manifest?.text,
    port: portOf(options.port),
    signingSecret: filled('--signing-secret', options['signing-secret']) ?? SECRET,
    hasTierLimits: options['tier-limits'] ?? false,
    seed: seedOf(options),
    faults: (options.fault ?? []).map(faultOf),
  };
}

/** @param words empty, or “--” and what follows. */
function commandIn([mark, ...command]: readonly string[]): Pick<Settings, 'command'> {
  if (mark === undefined) return {};
  if (command.length === 0)
    throw new UsageError('-- has to be followed by the command that starts the app');
  return { command };
}

function parsed(words: readonly string[]) {
  const text = { type: 'string' } as const;
  try {
    return parseArgs({
      args: [...words],
      options: {
        app: text,
        events: text,
        interactivity: text,
        commands: text,
        'socket-mode': { type: 'boolean' },
        manifest: text,
        port: text,
        'signing-secret': text,
        users: text,
        channels: text,
        'tier-limits': { type: 'boolean' },
        fault: { ...text, multiple: true },
        help: { type: 'boolean' },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

type Options = ReturnType<typeof parsed>;

type GivenManifest = Manifest & { readonly text: string };

/** Options for one kind of request. */
const kindsOfUrl = ['events', 'interactivity', 'commands'] as const;

function requestUrlsOf(options: Options, manifest: GivenManifest | undefined): RequestUrls | null {
  const { app, 'socket-mode': isSocketMode } = options;
  const given = kindsOfUrl.flatMap((kind) => {
    const url = options[kind];
    return url === undefined ? [] : [[kind, urlIn(`--${kind}`, url)] as const];
  });
  const [other] = app === undefined ? given.map(([kind]) => kind) : ['app'];
  if (isSocketMode && other) throw new UsageError(`give --${other} or --socket-mode, not both`);
  if (isSocketMode) return null;
  if (app === undefined) throw new UsageError('give --app URL or --socket-mode');
  return urlsOf(urlIn('--app', app), manifest, Object.fromEntries(given));
}

function urlIn(option: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url && /^https?:$/.test(url.protocol)) return url.href;
  throw new UsageError(`${option}: "${text}" is not an http(s) URL`);
}

async function manifestIn(path: string | undefined): Promise<GivenManifest | undefined> {
  if (path === undefined) return undefined;
  try {
    const text = await readFile(path, 'utf8');
    return { text, ...readManifest(text) };
  } catch (error) {
    throw new UsageError(`--manifest: ${path}: ${error instanceof Error ? error.message : error}`);
  }
}

function portOf(text: string | undefined): number {
  if (text === undefined) return PORT;
  if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new UsageError(`--port: "${text}" is not a number from 0 to 65535`);
}

function filled(option: string, text: string | undefined): string | undefined {
  if (text !== undefined && text.trim() === '') throw new UsageError(`${option} is empty`);
  return text;
}

function seedOf({ users, channels }: Options): Seed {
  const people = namesIn('--users', users);
  const rooms = namesIn('--channels', channels);
  for (const name of rooms ?? []) {
    if (!/^[a-z0-9][a-z0-9_-]{0,79}$/.test(name)) {
      throw new UsageError(
        `--channels: "${name}" has to be lower-case letters, digits, hyphens and underscores`,
      );
    }
  }
  return namedSeed({ ...(people && { people }), ...(rooms && { channels: rooms }) });
}

function namesIn(option: string, text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const names = text.split(',').map((name) => name.trim());
  if (names.some((name) => !/[a-z0-9]/i.test(name))) {
    throw new UsageError(`${option}: "${text}" has an empty name`);
  }
  const ids = names.map((name) => name.toLowerCase().replace(/[^a-z0-9]/g, ''));
  const twice = names.find((_, place) => ids.indexOf(ids[place] ?? '') < place);
  if (twice !== undefined) throw new UsageError(`${option}: "${twice}" is given twice`);
  return names;
}

const isKind = (word: string): word is (typeof kinds)[number] =>
  kinds.some((kind) => kind === word);

/** `429,method=chat.postMessage,times=2` */
function faultOf(text: string): WorkspaceFault {
  const [kind = '', ...members] = text.split(',');
  if (!isKind(kind)) {
    throw new UsageError(`--fault: "${kind}" is not one of ${kinds.join(', ')}`);
  }
  const facts = members.map((member): [string, string | number] => {
    const [name = '', value = ''] = member.split('=', 2);
    if (name === 'method' || name === 'error') return [name, value];
    const isNumber = name === 'times' || name === 'ms' || name === 'retryAfter';
    if (isNumber && /^\d{1,9}$/.test(value)) return [name, Number(value)];
    throw new UsageError(`--fault: "${member}" is not method=, times=, ms=, retryAfter= or error=`);
  });
  return { kind, ...Object.fromEntries(facts) };
}
