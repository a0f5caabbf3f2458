import type { Reply } from '../../../src/core/http/reply.ts';
import type { Chance } from '../../simulation/chance.ts';
import { Bot, type Coming } from '../bot.ts';
import {
  oddText,
  spoiledBytes,
  spoiledText,
  spoiledValue,
  wellFormed,
  writtenJson,
} from '../mutate.ts';
import { ENCODERS, shows } from '../spellings.ts';
import { Finding, type OpenTarget, type Target } from '../target.ts';

/** Everything that automations send: approvals, gates and work items, and their status requests. */
export const intakeTarget: Target = {
  name: 'intake',
  weight: 26,
  async open(chance) {
    const bot = await Bot.start(chance);
    return {
      run: (given) => new Visit(bot, given).run(),
      close: () => bot.stop(),
    } satisfies OpenTarget;
  },
};

const CHANNELS: readonly [string, ...string[]] = ['C0OUTCOMES', 'C0DEPLOYS', 'C0NOWHERE'];
const PATHS = ['/v1/approvals', '/v1/tasks', '/v1/catalogue'] as const;
const MENTION = /^<[@!]\w+>$/;

const OTHER_PATHS: readonly [string, ...string[]] = [
  '/openapi.json',
  '/v1/approvals/',
  '/v1',
  '/',
  '/v1/approvals/%',
  '//v1/approvals',
  '',
];

/** One automation with one token, which nobody else may see. */
class Visit {
  readonly #bot: Bot;
  readonly #chance: Chance;
  readonly #mark: string;
  readonly #token: string;

  constructor(bot: Bot, chance: Chance) {
    this.#bot = bot;
    this.#chance = chance;
    this.#mark = `mark${chance.bytes(7).toString('hex')}`;
    const odd = chance.often(0.2) ? chance.pick(['+/=', ' %', '"\\', 'ü😀', "<&>'"]) : '';
    this.#token = `${this.#mark}${odd}${chance.bytes(9).toString('base64url')}`;
  }

  async run(): Promise<void> {
    const bot = this.#bot;
    const chance = this.#chance;
    bot.taken();
    const path = chance.pick(PATHS);
    if (chance.often(0.8) && path === '/v1/approvals')
      bot.sandbox.service.createApproval({ token: this.#token });
    const right = {
      '/v1/approvals': () => this.#approval(),
      '/v1/tasks': () => this.#task(),
      '/v1/catalogue': () => this.#project(),
    }[path]();
    const body = chance.often(0.12) ? right : spoiledValue(right, chance);
    const text = writtenJson(body, chance);
    const first = await this.#send(
      'POST',
      chance.often(0.98) ? path : this.#otherPath(),
      this.#bytes(text),
    );
    const secret = this.#secretIn(text);
    this.#judge(first, text, secret);
    const id = idIn(first);
    if (id !== undefined && chance.often(0.5)) await this.#ask(id, secret);
    // Usually until its message is posted, and the decision is shown.
    if (first.status === 202) await bot.pass(chance.often(0.5) ? 1_500 : 50);
    this.#search(secret);
  }

  async #ask(id: string, secret: string): Promise<void> {
    const chance = this.#chance;
    for (let count = chance.whole(1, 3); count > 0; count -= 1) {
      const spoilt = chance.often(0.3)
        ? encodeURIComponent(wellFormed(spoiledText(id, chance)))
        : id;
      const end = chance.pick([
        '',
        '',
        '?wait=1',
        `?wait=${encodeURIComponent(wellFormed(oddText(chance)))}`,
        '/check',
        '/withdraw',
        '/decide',
      ]);
      const method = end.startsWith('/')
        ? 'POST'
        : chance.pick(['GET', 'GET', 'HEAD', 'POST', 'DELETE']);
      const path = `/v1/approvals/${spoilt}${end}`;
      const reply = await this.#send(
        method,
        path,
        chance.often(0.8) ? Buffer.alloc(0) : Buffer.from(oddText(chance)),
      );
      this.#judge(reply, '', secret);
    }
  }

  async #send(method: string, path: string, body: Buffer): Promise<Reply> {
    const coming: Coming = { method, path, headers: this.#headers(), body };
    return this.#bot.live(this.#bot.request(coming));
  }

  #headers(): Record<string, string> {
    const chance = this.#chance;
    const { intakeSecret } = this.#bot.sandbox.credentials;
    const headers: Record<string, string> = {
      authorization: `Bearer ${intakeSecret}`,
      'content-type': 'application/json',
    };
    if (chance.often(0.9)) return headers;
    const name = chance.pick([
      'authorization',
      'content-type',
      'content-length',
      'webhook-signature',
      'webhook-timestamp',
      'x-forwarded-for',
    ]);
    headers[name] = chance.pick([
      '',
      oddText(chance).slice(0, 200),
      'Bearer ',
      `bearer ${intakeSecret}`,
      'application/json; charset=utf-16',
      'application/json;charset="UTF-8"',
      'application/vnd.x+json',
      'text/plain',
      '-1',
      '1e9',
      '0',
    ]);
    return headers;
  }

  #bytes(text: string): Buffer {
    const bytes = Buffer.from(text);
    return this.#chance.often(0.06) ? spoiledBytes(bytes, this.#chance) : bytes;
  }

  #otherPath(): string {
    return this.#chance.often(0.5)
      ? this.#chance.pick(OTHER_PATHS)
      : `/v1/${oddText(this.#chance)}`;
  }

  /** Other people's text, with the token in some spelling. */
  #words(what: string): string {
    const chance = this.#chance;
    const token = chance.often(0.25) ? ` ${chance.pick(ENCODERS)(this.#token)} ` : ' ';
    return `${what} ${this.#mark}${token}`.trim();
  }

  #approval(): Record<string, unknown> {
    const chance = this.#chance;
    const often = (member: Record<string, unknown>) => (chance.often(0.5) ? member : {});
    return {
      ...(chance.often(0.75) ? { token: this.#token } : { key: `checkout/${this.#mark}` }),
      title: this.#words('Deploy'),
      ...often({ message: this.#words('Please look') }),
      ...often({ route: chance.pick(['deploys', 'open', 'both', 'nobody']) }),
      ...(chance.often(0.1) && { channel: chance.pick(CHANNELS) }),
      ...often({
        fields: { Version: '4.2', [`Field ${chance.whole(1, 9)}`]: this.#words('value') },
      }),
      ...often({ link: `https://example.com/${encodeURIComponent(this.#words('run'))}` }),
      ...often({
        requestedBy: chance.pick([
          { email: 'ana@example.com' },
          { slackUser: 'U0ANA' },
          { name: this.#words('Ana') },
        ]),
      }),
      ...(chance.often(0.2) && { reviewers: { users: ['U0ANA', 'U0BEN'], groups: [] } }),
      ...often({ change: `${this.#words('- a\n+ b')}\n`.repeat(chance.whole(1, 40)) }),
      ...(chance.often(0.2) && { quorum: chance.whole(1, 3) }),
      ...(chance.often(0.3) && { need: this.#needs() }),
      ...(chance.often(0.3) && { expiresAt: '2026-01-06T08:00:00Z' }),
    };
  }

  #needs(): unknown[] {
    const chance = this.#chance;
    const names = ['SRE', 'Q&A', 'On-call', chance.often(0.2) ? this.#words('Legal') : 'Legal'];
    return Array.from({ length: chance.whole(1, 3) }, () => ({
      name: chance.pick(names),
      of: chance.pick([
        { users: ['U0ANA', 'U0BEN'] },
        { users: ['U0CLEO'], groups: ['S0REL'] },
        { groups: ['S0REL'] },
      ]),
      ...(chance.often(0.4) && { count: chance.whole(0, 3) }),
    }));
  }

  #task(): Record<string, unknown> {
    const chance = this.#chance;
    const item = (name: string) => ({
      id: `id-${name}`,
      key: `OPS-${name}`,
      title: this.#words('A task'),
      status: 'ops-open',
    });
    return {
      ...item(`${this.#mark}-1`),
      updatedAt: '2026-01-05T08:00:00Z',
      projectId: '9c0e5a00-0000-4000-8000-000000000001',
      ...(chance.often(0.3) && { channel: 'C0DEPLOYS' }),
      subItems: [{ ...item('2'), subItems: [{ ...item('3'), subItems: [] }] }, item('4')],
    };
  }

  #project(): Record<string, unknown> {
    const named = (id: string) => ({ id, name: this.#words('A name') });
    const readAt = '2026-01-05T08:00:00Z';
    if (this.#chance.often(0.5)) {
      const suites = [named('su-1'), named('su-2')];
      return { readAt, testProject: { ...named('tp-fuzzed'), space: 'eng', suites } };
    }
    const types = [{ ...named('t-bug'), statuses: [named('s-new')] }];
    const statuses = [named('s-open'), named('s-done')];
    return { readAt, project: { ...named('fuzzed-project'), space: 'eng', statuses, types } };
  }

  /**
   * What the intake reads as the token; it may be changed. Nothing else is a secret, nor is a text that messages have
   * anyway: the name of a channel, a mention.
   */
  #secretIn(text: string): string {
    try {
      const { token }: { token?: unknown } = JSON.parse(text) ?? {};
      if (typeof token !== 'string' || CHANNELS.includes(token)) return '';
      return MENTION.test(token.trim()) ? '' : token.trim();
    } catch {
      return '';
    }
  }

  #judge({ status, body }: Reply, sent: string, secret: string): void {
    if (status >= 500)
      throw new Finding('crash', `answered ${status}: ${body} to ${sent.slice(0, 3_000)}`);
    if (shows(body, secret)) throw new Finding('leak', `the answer holds the token: ${body}`);
    if (status < 400 || !body.includes(this.#mark)) return;
    const isName = new RegExp(`"[^"]*${this.#mark}[^"]*"\\s*:`).test(sent);
    if (!isName) throw new Finding('crash', `a problem repeats a value: ${body}`);
  }

  #search(secret: string): void {
    const { logs, slack, store } = this.#bot.taken();
    for (const [where, texts] of Object.entries({ logs, slack, store })) {
      const found = texts.find((text) => shows(text, secret));
      if (found !== undefined)
        throw new Finding('leak', `${where}: ${secret} in ${found.slice(0, 4_000)}`);
    }
    const failed = logs.find((line) => /"level":(50|60)/.test(line));
    if (failed !== undefined) throw new Finding('crash', `it logs an error: ${failed}`);
  }
}

function idIn({ status, body }: Reply): string | undefined {
  if (status >= 300) return undefined;
  try {
    const { id } = JSON.parse(body);
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}
