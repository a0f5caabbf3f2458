import { resolve } from 'node:path';
import type { Config } from '../core/config/config.ts';
import { connectionFix } from '../core/lib/proxies.ts';
import { parseRedisAddress } from '../core/lib/redis-address.ts';
import { SLACK_API } from '../core/slack/slack-fetch.ts';
import { SlackStartError, TOKEN_FIXES } from '../core/slack/slack-start-error.ts';
import { DamagedFolderError } from '../core/store/embedded/folder-check.ts';
import { FolderInUseError } from '../core/store/embedded/folder-guard.ts';
import { StoreConfigError, StoreError } from '../core/store/store.ts';

/** Why Gatepost did not start, or cannot continue, if the operator can fix it. */
interface StartFailure {
  /** What is wrong, where, and what to do. */
  readonly sentence: string;
  /** For the log: it is not a bug, so its stack is left out. */
  readonly facts: Readonly<Record<string, string>>;
  /** The settings are wrong, so a restart does not help. */
  readonly isConfiguration: boolean;
}

type Known = Pick<StartFailure, 'sentence'> & { readonly at: string };

/** undefined: a bug, whose stack belongs in the log. */
export function startFailure(
  error: unknown,
  config: Pick<Config, 'store' | 'http' | 'slack' | 'proxies'>,
): StartFailure | undefined {
  const known = knownFailure(error, config);
  if (known === undefined || !(error instanceof Error)) return undefined;
  const code = codeOf(error);
  const facts = { at: known.at, error: error.name, ...(code !== '' && { code }) };
  return {
    sentence: known.sentence,
    facts: { ...facts, message: error.message },
    isConfiguration: error instanceof StoreConfigError,
  };
}

function knownFailure(
  error: unknown,
  { store, http, slack, proxies }: Parameters<typeof startFailure>[1],
): Known | undefined {
  if (error instanceof SlackStartError)
    return slackFailure(error, slack.apiUrl ?? SLACK_API, proxies);
  if (error instanceof StoreError && store.kind === 'redis') return redisFailure(error, store.url);
  const folder = store.kind === 'embedded' ? resolve(store.folder) : '';
  if (error instanceof FolderInUseError) {
    const sentence = `The folder ${folder} is in use by process ${error.pid}. Stop that process, or set DATA_DIR to another folder.`;
    return { at: folder, sentence };
  }
  if (error instanceof DamagedFolderError) return { at: folder, sentence: `${error.message}.` };
  if (error instanceof StoreError) {
    const fix = error instanceof StoreConfigError ? error.fix : folderFix(error);
    const sentence = `Gatepost cannot use the data folder ${folder}: ${error.message}. ${fix}`;
    return { at: folder, sentence };
  }
  return listenFailure(error, http);
}

function folderFix({ shortage }: StoreError): string {
  return shortage === undefined
    ? 'Make it a folder that this user can write to, or set DATA_DIR to another one.'
    : 'Free some space there, or set DATA_DIR to a folder on another disk.';
}

function slackFailure(error: SlackStartError, at: string, proxies: Config['proxies']): Known {
  const { code, variable } = error;
  if (error.isRefused) {
    const sentence = `Slack at ${at} does not accept ${variable} (${code}). ${TOKEN_FIXES[variable]}`;
    return { at, sentence };
  }
  const [, status] = /^http_(4\d\d)$/.exec(code) ?? [];
  const fix = connectionFix(code, at, proxies);
  const next =
    fix === undefined
      ? 'Check the network and any proxy, then start Gatepost again.'
      : `${fix} Then start Gatepost again.`;
  const sentence =
    status === undefined
      ? `Slack cannot be reached at ${at} (${code}). ${next}`
      : `The server at ${at} is not Slack's Web API (HTTP ${status}). Check SLACK_API_URL and any proxy, then start Gatepost again.`;
  return { at, sentence };
}

function redisFailure(error: StoreError, url: string): Known {
  const { hosts } = parseRedisAddress(url);
  const at = hosts.map(({ host, port }) => `${host}:${port}`).join(', ');
  const said = error.message.replace(/\.$/, '');
  const fix =
    error instanceof StoreConfigError ? error.fix : 'Fix that, or set REDIS_URL to another Redis.';
  const sentence = `Gatepost cannot use Redis at ${at}: ${said}. ${fix} Then start Gatepost again.`;
  return { at, sentence };
}

function listenFailure(error: unknown, { host, port }: Config['http']): Known | undefined {
  if (!(error instanceof Error && 'syscall' in error)) return undefined;
  const at = `${host}:${port}`;
  const code = codeOf(error);
  if (error.syscall === 'getaddrinfo' || code === 'EADDRNOTAVAIL') {
    return {
      at,
      sentence: `${host} is not an address of this machine (${code}). Set HOST to one of its addresses, or to 0.0.0.0 for all of them.`,
    };
  }
  if (error.syscall !== 'listen') return undefined;
  const sentence =
    code === 'EADDRINUSE'
      ? `Port ${port} is taken at ${host}. Stop the program that uses it, or set PORT to another port.`
      : `Gatepost cannot listen on port ${port} at ${host} (${code}). Set PORT and HOST to an address that this user can listen on.`;
  return { at, sentence };
}

function codeOf(error: Error): string {
  return 'code' in error ? String(error.code) : '';
}
