import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { startSandbox } from '../../sandbox/start-sandbox.ts';
import { createLogger } from '../../src/app/logger.ts';
import type { ListenerOptions } from '../../src/core/http/listener.ts';
import type { Reply } from '../../src/core/http/reply.ts';
import { createRouter } from '../../src/core/http/router.ts';
import { auditSigner } from '../../src/core/store/audit-chain.ts';
import { Memory } from '../../src/core/store/memory/memory-store.ts';
import type { Store } from '../../src/core/store/store.ts';
import type { Chance } from '../simulation/chance.ts';
import { connectTo, inProcess } from '../simulation/network.ts';
import { Replica } from '../simulation/replica.ts';
import { Scheduler } from '../simulation/scheduler.ts';
import { configOf } from '../simulation/settings.ts';
import { Weather } from '../simulation/weather.ts';
import { Finding } from './target.ts';

/** A request as it arrives, without a connection. */
export interface Coming {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** The body that Slack sent for a person's action, with its media type. */
export interface Sent {
  readonly contentType: string;
  readonly body: string;
}

/** By where it went. */
export type Outputs = Readonly<Record<'logs' | 'slack' | 'store', readonly string[]>>;

const EPOCH = Date.UTC(2026, 0, 5, 8);
const URL_OF_ALL = 'http://127.0.0.1';
/** A request that waits at the intake is answered within a minute; Slack's 3 s are far below. */
const LONGEST_MS = 90_000;
const MANIFEST = readFileSync(new URL('../../manifest.yml', import.meta.url), 'utf8');
const SETTINGS = readFileSync(new URL('./gatepost.yaml', import.meta.url), 'utf8');

/**
 * The whole bot, assembled by `startApp`, in the sandbox, without a socket and with simulated time: its log and its
 * calls to Slack are kept until they are read.
 */
export class Bot {
  readonly sandbox: Sandbox;
  readonly #scheduler: Scheduler;
  readonly #sent: Sent[] = [];
  #replica: Replica | null = null;
  #logged: string[] = [];
  #told: string[] = [];
  #written: string[] = [];

  static async start(chance: Chance): Promise<Bot> {
    const scheduler = new Scheduler(chance.branch('order'));
    const now = () => Math.floor(EPOCH + scheduler.now);
    const place = inProcess(URL_OF_ALL);
    const made: { bot?: Bot } = {};
    const drawn = chance.branch('sandbox');
    const sandbox = await startSandbox({
      manifest: MANIFEST,
      now,
      random: (bytes) => drawn.bytes(bytes),
      timers: { pause: (ms) => scheduler.sleep(ms), monotonic: () => scheduler.now },
      postRate: null,
      post: async (_to, body, headers) => {
        const contentType = headers['content-type'] ?? '';
        const reply = await made.bot?.slack({ contentType, body }, headers);
        if (reply === undefined) return { status: 0, body: '', timedOut: true, noRetry: false };
        return { status: reply.status, body: reply.body, timedOut: false, noRetry: false };
      },
      serve: place.listen,
    });
    sandbox.connectBot({
      eventsUrl: `${URL_OF_ALL}/slack/events`,
      intakeUrl: `${URL_OF_ALL}/v1/approvals`,
    });
    const config = configOf(sandbox, chance.branch('key').bytes(32), SETTINGS);
    const memory = new Memory({
      clock: { now, monotonic: () => scheduler.now },
      random: chance.branch('memory').random(),
      signAudit: auditSigner(config.keys),
    });
    const bot = new Bot(sandbox, scheduler);
    made.bot = bot;
    const logger = createLogger('debug', { write: (line) => void bot.#logged.push(line) });
    const network = chance.branch('network');
    const replica = new Replica({
      name: 'bot',
      scheduler,
      chance: chance.branch('bot'),
      now,
      config,
      logger,
      connect: (from) =>
        connectTo(from, {
          scheduler,
          now,
          chance: network,
          weather: new Weather(network, false),
          serve: place.serve,
          onExchange: ({ request }) => {
            const { path, body } = request;
            if (path.startsWith('/slack')) bot.#told.push(path, ...valuesIn(body ?? ''));
          },
        }),
      openStore: () => overheard(memory.openStore(), (words) => bot.#written.push(words)),
    });
    bot.#replica = replica;
    await bot.live(replica.start());
    return bot;
  }

  private constructor(sandbox: Sandbox, scheduler: Scheduler) {
    this.sandbox = sandbox;
    this.#scheduler = scheduler;
  }

  /** Lets time pass until the work has a result. */
  async live<Value>(work: Promise<Value>): Promise<Value> {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    work.then(end, end);
    const lastAt = this.#scheduler.now + LONGEST_MS;
    await this.#scheduler.run(() => isOver || this.#scheduler.now > lastAt);
    if (!isOver)
      throw new Finding('hang', `no answer within ${LONGEST_MS} ms of the bot's own time`);
    return work;
  }

  async pass(ms: number): Promise<void> {
    await this.live(this.#scheduler.sleep(ms));
  }

  /** A request to the port, answered as `src/core/http/listener.ts` does. */
  async request(coming: Coming): Promise<Reply> {
    return createRouter(this.#listener().routes)(requestOf(coming));
  }

  /** A request from Slack; without headers it is signed here. */
  async slack(
    { contentType, body }: Sent,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Reply> {
    if (headers !== undefined) this.#sent.push({ contentType, body });
    const all = headers ?? this.#signed(contentType, body);
    return this.request({
      method: 'POST',
      path: '/slack/events',
      headers: all,
      body: Buffer.from(body),
    });
  }

  /** All that Slack itself has sent: valid, and from this workspace. */
  get sent(): readonly Sent[] {
    return this.#sent;
  }

  /** What it has output since the last call. */
  taken(): Outputs {
    const taken = { logs: this.#logged, slack: this.#told, store: this.#written };
    this.#logged = [];
    this.#told = [];
    this.#written = [];
    return taken;
  }

  metrics(): Promise<string> {
    return this.#listener().metrics.text();
  }

  async stop(): Promise<void> {
    this.#replica?.kill();
    await this.sandbox.close();
  }

  #listener(): ListenerOptions {
    const listener = this.#replica?.listener;
    if (!listener) throw new Error('The bot does not listen');
    return listener;
  }

  #signed(contentType: string, body: string): Record<string, string> {
    const seconds = Math.floor((EPOCH + this.#scheduler.now) / 1_000);
    const { signingSecret } = this.sandbox.credentials;
    const mac = createHmac('sha256', signingSecret).update(`v0:${seconds}:${body}`).digest('hex');
    return {
      'content-type': contentType,
      'content-length': String(Buffer.byteLength(body)),
      'x-slack-request-timestamp': String(seconds),
      'x-slack-signature': `v0=${mac}`,
    };
  }
}

const WRITES: ReadonlySet<PropertyKey> = new Set([
  ...['create', 'signal', 'save', 'put', 'putIfAbsent', 'replace', 'writeAudit'],
]);

/** A store whose writes are reported as JSON. */
function overheard(store: Store, tell: (words: string) => void): Store {
  return new Proxy(store, {
    get(_, name) {
      const member: unknown = Reflect.get(store, name, store);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]) => {
        if (WRITES.has(name)) tell(JSON.stringify(given));
        return member.apply(store, given);
      };
    },
  });
}

/** Those of a form, whose escapes are no letters of a token; another body as it is. */
function valuesIn(body: string): readonly string[] {
  return body.startsWith('{') ? [body] : [...new URLSearchParams(body).values()];
}

function requestOf({ method, path, headers, body }: Coming): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  request.method = method;
  request.url = path;
  request.headers = { 'content-length': String(body.length), ...headers };
  request.push(body);
  request.push(null);
  request.complete = true;
  return request;
}
