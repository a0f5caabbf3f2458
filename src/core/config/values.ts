import * as z from 'zod';
import { cleanLine } from '../lib/clean-line.ts';
import { DURATION_PATTERN, durationMs } from '../lib/duration.ts';
import { loginFault } from '../lib/logins.ts';
import { isLoopback } from '../lib/loopback.ts';
import { noProxyFault } from '../lib/no-proxy.ts';
import { parseRedisAddress, RedisAddressError } from '../lib/redis-address.ts';
import { webhookKey } from '../lib/webhook-key.ts';
import { also, type Check } from './also.ts';

/** By Slack id. */
export interface NamedPeople {
  readonly users: readonly string[];
  /** User groups. */
  readonly groups: readonly string[];
}

/** All of these people, without duplicates. */
export function union(...all: readonly NamedPeople[]): NamedPeople {
  return {
    users: [...new Set(all.flatMap(({ users }) => users))],
    groups: [...new Set(all.flatMap(({ groups }) => groups))],
  };
}

export interface Reviewers extends NamedPeople {
  /** Everybody in the channel. */
  readonly channel: boolean;
}

/** How durably a click is stored before it is acknowledged; `auto`: `aof` where Redis can tell, otherwise `off`. */
export type RedisConfirm = 'auto' | 'aof' | 'off' | { readonly replicas: number };

export interface EncryptionKey {
  readonly id: string;
  /** 32 bytes. */
  readonly key: Buffer;
}

/**
 * The values of settings, in the environment or in gatepost.yaml. Each message follows the setting's name in a
 * sentence, states the rule, and never repeats the value.
 */

/** One message for a missing value, and one for an invalid one. */
function rule(message: string) {
  return { error: ({ input }: { readonly input?: unknown }) => orRequired(input, message) };
}

export const REQUIRED = 'is required';

/** A rule after whose problem no other of the value is told. Unlike with `abort`, those around it are (`also`). */
function must(holds: (value: string) => boolean, message: string) {
  return z.check<string>(({ value, issues }) => {
    if (!holds(value)) issues.push({ code: 'custom', message, input: value });
  });
}

function orRequired(input: unknown, message: string): string {
  return input === undefined ? REQUIRED : message;
}

/** Ids, names and addresses are compared and sent verbatim, so they are not trimmed. */
export const text = z
  .string({
    error: ({ input }) => {
      const isBare = typeof input === 'number' || typeof input === 'boolean';
      return orRequired(input, isBare ? 'must be text: put it in quotes' : 'must be text');
    },
  })
  .check(must((value) => value.trim() !== '', 'must be text'))
  .check(must((value) => value.trim() === value, 'must not begin or end with white space'));

export const flag = z.boolean(rule('must be true or false'));

export function wholeNumber(from: number, to: number) {
  const isWithin = (value: number) => Number.isInteger(value) && value >= from && value <= to;
  const message = `must be a whole number from ${from} to ${to}`;
  const limits = { type: 'integer', minimum: from, maximum: to } as const;
  return z.number(rule(message)).refine(isWithin, message).meta(limits);
}

export function oneOf<const Words extends readonly [string, ...string[]]>(...words: Words) {
  return z.enum(words, rule(`must be ${words.slice(0, -1).join(', ')} or ${words.at(-1)}`));
}

const TEN_YEARS_MS = 3_650 * 86_400_000;
const DURATION = 'must be a duration such as 90s, 30m, 12h or 7d, up to ten years';

/** `90s`, `30m`, `12h` or `7d`, in milliseconds. */
export const duration = durationIn(1, TEN_YEARS_MS, DURATION);

/** From `0s` to a minute. */
export const shortDuration = durationIn(0, 60_000, 'must be 0s to 60s');

function durationIn(leastMs: number, mostMs: number, says: string) {
  return z
    .string(rule(says))
    .meta({ pattern: DURATION_PATTERN.source })
    .transform(durationMs)
    .refine((ms) => ms >= leastMs && ms <= mostMs, says);
}

export const A_LIST = 'must be a list, such as [one, two]';

/** The valid items of a list, without duplicates. `check`: see `also`. */
export function list<Item extends z.ZodType>(item: Item, check: Check = () => {}) {
  const items = also(z.array(item, { error: A_LIST }), check);
  return items.transform((all): readonly z.output<Item>[] => [...new Set(all)]).prefault([]);
}

const USER = /^[UW][A-Z0-9]{2,}$/;
const GROUP = /^S[A-Z0-9]{2,}$/;

const CHANNEL = /^[CG][A-Z0-9]{2,}$/;

export const channelId = text.regex(
  CHANNEL,
  'must be a channel id (C… or G…), not a name: open the channel in Slack, click its name, the id is at the bottom of About',
);
/** An id of another kind says where it belongs. */
function idOf(other: RegExp, error: string) {
  return text.check(must((value) => !other.test(value), error));
}

/** Where something is announced: false: nowhere; true: in the command's channel; or a channel id. */
export const announcePlace = z.union([z.boolean(), text.regex(CHANNEL, { abort: true })], {
  error: 'must be true, false or a channel id (C… or G…)',
});
export const userId = idOf(GROUP, 'is a user group: put it under groups').regex(
  USER,
  'must be a user id (U… or W…), not a name: open the profile in Slack, then More (⋮), Copy member ID',
);
export const groupId = idOf(USER, 'is a person: put it under users').regex(
  GROUP,
  'must be a user group id (S…), not a handle: open the group in Slack under Directories, then More (…), Copy group ID',
);
export const teamId = text.regex(
  /^T[A-Z0-9]{2,}$/,
  'must be a workspace id (T…), not a name: open the workspace in a browser, the id is in the address after /client/',
);

/** Comma-separated texts, without empty ones. */
const commaList = z.string().transform(splitList);

export function splitList(value: string): string[] {
  const parts = value.split(',').map((part) => part.trim());
  return parts.filter((part) => part !== '');
}

/** Comma-separated ids of people (U…, W…) and user groups (S…), and the word `channel`. */
export const reviewers = commaList.transform((entries, context): Reviewers => {
  const isChannel = (entry: string) => entry === 'channel';
  const those = idsAmong(entries, context, isChannel, 'an id (U…, W… or S…) or the word channel');
  return { ...those, channel: entries.some(isChannel) };
});

/** Comma-separated ids of people and user groups. */
export const administrators = commaList.transform((entries, context) =>
  idsAmong(entries, context, () => false, 'an id (U…, W… or S…)'),
);

function idsAmong(
  entries: readonly string[],
  context: z.RefinementCtx,
  isOther: (entry: string) => boolean,
  what: string,
): NamedPeople {
  const wrong = entries.findIndex(
    (entry) => !USER.test(entry) && !GROUP.test(entry) && !isOther(entry),
  );
  if (wrong >= 0) context.addIssue(`entry ${wrong + 1} must be ${what}`);
  return idsIn(entries);
}

/** Those of the entries that are ids of people and user groups. */
export function idsIn(entries: readonly unknown[]): NamedPeople {
  const texts = entries.filter((entry) => typeof entry === 'string');
  const those = (form: RegExp) => [...new Set(texts.filter((entry) => form.test(entry)))];
  return { users: those(USER), groups: those(GROUP) };
}

const ADDRESS = 'must be an address such as https://host/path';

/** An https address without trailing slash; http only for this machine. */
export const address = addressWith({ query: false }).transform((url) =>
  url.replace(/(?<!\/)\/+$/, ''),
);

/** The address of an issuer, letter for letter: its tokens have it as `iss`. */
export const issuerAddress = z.string(rule(ADDRESS)).superRefine((value, context) => {
  const [issue] = address.safeParse(value).error?.issues ?? [];
  if (issue !== undefined) context.addIssue(issue.message);
});

/** The same, verbatim and with an optional query. */
export const callbackAddress = addressWith({ query: true });

function addressWith({ query }: { readonly query: boolean }) {
  return z.string(rule(ADDRESS)).transform((value, context) => {
    const fail = (message: string) => {
      context.addIssue(message);
      return z.NEVER;
    };
    if (!URL.canParse(value)) return fail(ADDRESS);
    const url = new URL(value);
    const isLocal = url.protocol === 'http:' && isLoopback(url.hostname);
    if (url.protocol !== 'https:' && !isLocal) {
      return fail('must begin with https:// (http:// is accepted on loopback only)');
    }
    if (url.username !== '' || url.password !== '') return fail('must not hold credentials');
    if (!query && /[?#]/.test(value)) return fail('must not hold a query or a fragment');
    if (value.includes('#')) return fail('must not hold a fragment');
    return url.href;
  });
}

/** With a percent-encoded user name and password, or neither: undici sends them in pairs. */
export const noProxyList = z.string().superRefine((value, context) => {
  const fault = noProxyFault(value);
  if (fault !== undefined) context.addIssue(fault);
});

export const proxyAddress = z.string().superRefine((value, context) => {
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return context.addIssue('must be an address such as http://host:port');
  }
  if (url.pathname !== '/' || /[?#]/.test(value)) {
    return context.addIssue('must hold no path, query or fragment: only http://host:port');
  }
  const { username, password } = url;
  if ((username === '') !== (password === '')) {
    return context.addIssue('must hold a user name and a password, or neither');
  }
  try {
    decodeURIComponent(username + password);
  } catch {
    context.addIssue('must have its user name and password percent-encoded');
  }
});

export const redisAddress = z.string().superRefine((value, context) => {
  try {
    parseRedisAddress(value);
  } catch (error) {
    if (!(error instanceof RedisAddressError)) throw error;
    context.addIssue(error.message);
  }
});

const CONFIRM = 'must be aof, off or replicas=1 (a number from 1 to 99)';

export const redisConfirm = z
  .string()
  .regex(/^(?:aof|off|replicas=[1-9]\d?)$/, { error: CONFIRM, abort: true })
  .transform((value): RedisConfirm => {
    if (value === 'aof' || value === 'off') return value;
    return { replicas: Number(value.slice('replicas='.length)) };
  });

/** Docker's env files keep the quotes of NAME="value" in the value. */
export function isQuoted(value: string): boolean {
  return /^(?:".*"|'.*'|`.*`|[“„”].*[“”]|[‘‚’].*[‘’])$/s.test(value);
}

export const QUOTED = 'must not be in quotes: remove the quotes around the value';

/** Anything that fits into a header, but for what was meant to be something else. */
export const secret = z.string().superRefine((value, context) => {
  if (isQuoted(value)) return context.addIssue(QUOTED);
  if (/^Bearer(?:\s|$)/i.test(value)) {
    return context.addIssue('must not begin with "Bearer": give only the secret');
  }
  if (/\$[{(]|\{\{|^\$[A-Z_]\w*$|^%\w+%$|^<.+>$/.test(value)) {
    return context.addIssue('is a placeholder such as $NAME, which nothing has filled in');
  }
  if (!/^[\x21-\x7e]+$/.test(value))
    context.addIssue('must contain only ASCII characters and no white space');
});

/** Slack's other tokens look similar. */
export const appToken = z
  .string()
  .startsWith('xapp-', { error: 'must be an app-level token, which begins xapp-', abort: true })
  .pipe(secret);

const signingSecret = z
  .string()
  .refine(
    (value) => webhookKey(value) !== undefined,
    'must be whsec_ followed by base64, as echo "whsec_$(openssl rand -base64 32)" prints',
  );

/** Proxies write paths down, and nobody types one: it has to be random, and must not need an escape. */
const pathSecret = z.string().regex(/^[\w-]{32,}$/, {
  error:
    'must have at least 32 letters, digits, "_" or "-" for auth: path, as openssl rand -hex 24 prints',
});

const SECRETS = { bearer: secret, 'standard-webhooks': signingSecret, path: pathSecret } as const;

/** How a source's secret has to look. */
export type SecretForm = keyof typeof SECRETS;

/** A source's credential: one secret, or two comma-separated ones during rotation. */
export function intakeSecrets(form: SecretForm) {
  return commaList
    .refine((secrets) => secrets.length === 1 || secrets.length === 2, {
      error: 'must be one secret, or two separated by a comma',
      abort: true,
    })
    .pipe(z.array(SECRETS[form]))
    .transform((secrets) => [...new Set(secrets)]);
}

/** `id:base64(32 bytes)`, comma-separated. */
export const encryptionKeys = commaList.transform((parts, context): EncryptionKey[] => {
  const keys = parts.map((part, index) => {
    const [, id = '', encoded = ''] = /^([^:]*):(.*)$/.exec(part) ?? [];
    const key = Buffer.from(encoded, 'base64');
    if (!/^[\w-]{1,32}$/.test(id)) {
      context.addIssue(
        `key ${index + 1} must be id:base64, the id 1 to 32 letters, digits, "_" or "-"`,
      );
      // Node ignores invalid characters: valid base64 encodes back to itself.
    } else if (key.toString('base64') !== encoded || key.length !== 32) {
      context.addIssue(
        `key ${index + 1} must be 32 bytes in base64, as "openssl rand -base64 32" prints`,
      );
    }
    return { id, key };
  });
  if (keys.length === 0) context.addIssue('must contain at least one key');
  if (new Set(keys.map(({ id }) => id)).size < keys.length) {
    context.addIssue('must not use the same key id twice');
  }
  return keys;
});

export const port = z
  .string()
  .refine(
    (value) => /^\d{1,5}$/.test(value) && Number(value) <= 65_535,
    'must be a whole number from 0 to 65535',
  )
  .transform(Number);

/** A source's display name, for one line of our text: exactly as typed. */
export const displayName = text
  .check(
    must(
      (name) => name.length <= 80 && cleanLine(name) === name,
      'must be one line of at most 80 characters, all of which can be seen',
    ),
  )
  .refine((name) => !/[*`]|:[\w+-]+:/.test(name), 'must not contain *, ` or an :emoji:');

/** A need's name, for a status line: plain words, none of which states an outcome. */
export const needName = text
  .check(must(({ length }) => length <= 40, 'must have at most 40 characters'))
  .check(
    must(
      (name) => /^[\p{L}\p{N}]+(?:[ ._/&+-][\p{L}\p{N}]+)*$/u.test(name),
      'must be words of letters and digits, with one space, ".", "_", "/", "&", "+" or "-" between them',
    ),
  )
  .refine((name) => !/approved|rejected|timed|withdrawn/i.test(name), {
    error: 'must not read like an outcome',
  });

/** The name of a source or route. */
export const entryName = text.regex(
  /^[A-Za-z0-9][\w.-]{0,63}$/,
  'must be a name of up to 64 letters, digits, "-", "_" and "."',
);

/** `all` stands for every route where people name one. */
export const routeName = entryName.refine(
  (name) => name.toLowerCase() !== 'all',
  'is the word for every route: choose another name',
);

/** Another system, in which people have logins. */
export const SYSTEM = /^[a-z0-9][a-z0-9.-]{0,31}$/;
export const systemName = text.regex(
  SYSTEM,
  'must be a name of up to 32 small letters, digits, "-" and ".", such as github',
);

export const loginName = text.refine((login) => loginFault(login) === undefined, {
  error: ({ input }) => loginFault(String(input)),
});

/** `system:login`. */
export const robotName = text.refine((name) => {
  const [system = '', ...login] = name.split(':');
  return SYSTEM.test(system) && loginFault(login.join(':')) === undefined;
}, 'must be a system and a login, such as github:renovate[bot]');

/** Sent verbatim, and an option value in Slack's lists, which is limited. */
export const catalogueId = text.refine(
  ({ length }) => length <= 75,
  'must be an id of at most 75 characters',
);

const NO_DOTS = /^(?!\.{1,2}$)/;

/** A path segment (Interface 4.2), in which dots alone would lead elsewhere. */
export const pathId = catalogueId.regex(NO_DOTS, 'must not consist of dots only');
export const pathName = text.regex(NO_DOTS, 'must not consist of dots only');

/** The start of a path, below a base address. */
export const pathPrefix = text
  .transform((value) => value.replace(/(?<!\/)\/+$/, ''))
  .check(
    must(
      (path) => /^(\/(?!\.{1,2}(\/|$))[\w.~!$&'()*+,;=:@%-]+)+$/.test(path),
      'must be a path that begins with "/", such as /internal/tasks, without "?"',
    ),
  );

export const headerName = text
  .regex(/^[\w!#$%&'*+.^`|~-]+$/, 'must be the name of a header')
  .refine(
    (name) => name.toLowerCase() !== 'authorization',
    'must be another header: for Authorization, use auth: bearer',
  );

const VARIABLE = 'must be the name of an environment variable in capitals, not the secret itself';

/** Upper case only, so that a secret pasted here by mistake is not taken for a name and shown. */
export const variableName = z.string(rule(VARIABLE)).regex(/^[A-Z][A-Z0-9_]{0,99}$/, VARIABLE);

/** An address with the placeholder `{needed}`, and optionally the others. */
export function linkWith(needed: string, others: readonly string[]) {
  const rest = others.map((name) => `{${name}}`).join(' and ');
  return text.refine((link) => {
    const names = [...link.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name ?? '');
    const isRight =
      names.includes(needed) && names.every((name) => name === needed || others.includes(name));
    return isRight && /^https?:\/\/[^\s<>|]+$/.test(link);
  }, `must be an http or https address with {${needed}} in it, and optionally ${rest}`);
}
