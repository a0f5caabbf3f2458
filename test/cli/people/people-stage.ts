import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { peopleCommand, usageExitCode } from '../../../src/cli/people/people-command.ts';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** Standard output for programs. */
  readonly rows: readonly Record<string, unknown>[];
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** A terminal, whose user types this at the first question; null: closes it. */
  readonly types?: string | null;
  /** Happens while somebody is asked. */
  readonly meanwhile?: () => void;
  /** Cells of the terminal. */
  readonly columns?: number;
  readonly signal?: AbortSignal;
}

/** Runs `people` in this process, with streams in place of its own. */
export async function runPeople(
  sandbox: Sandbox,
  words: readonly string[],
  { env = {}, types, meanwhile, columns, signal = new AbortController().signal }: RunOptions = {},
): Promise<Ran> {
  const isTTY = types !== undefined || columns !== undefined;
  const stdin = Object.assign(new PassThrough(), { isTTY });
  const stdout = Object.assign(new PassThrough(), { isTTY, ...(columns && { columns }) });
  const stderr = Object.assign(new PassThrough(), { isTTY });
  let [out, err] = ['', ''];
  stdout.on('data', (chunk) => {
    out += chunk;
  });
  stderr.on('data', (chunk) => {
    err += chunk;
    if (!String(chunk).includes('[y/N]')) return;
    meanwhile?.();
    if (typeof types === 'string') stdin.write(`${types}\n`);
    else stdin.end();
  });
  const service = { SERVICE_URL: sandbox.serviceUrl, SCIM_TOKEN: sandbox.credentials.scimToken };
  let code: number | undefined;
  const terminal = { stdin, stdout, stderr, signal, user: 'ops', host: 'desk' };
  const command = peopleCommand({ ...terminal, env: { ...service, ...env } }, (ended) => {
    code = ended;
  });
  try {
    await command.parseAsync(words, { from: 'user' });
  } catch (error) {
    code = usageExitCode(error);
  }
  await Promise.all([stdout, stderr].map((stream) => finished(stream.end(), { writable: false })));
  if (code === undefined) throw new Error(`it said nothing of how it ended:\n${err}`);
  return { code, out, err, rows: words.includes('--json') && out !== '' ? JSON.parse(out) : [] };
}
