import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DoorAnswer } from '../e2e/door.ts';

type Json = Readonly<Record<string, unknown>>;

interface Report {
  readonly state: string;
  readonly text?: string;
  readonly claim?: string;
  readonly until?: string;
}

interface Request {
  readonly id: string;
  readonly body: Json;
  status: string;
  readonly reports: (Report & { readonly at: string })[];
  supersededBy?: string;
}

/** An intake that decides by itself, and accepts reports of results (docs/intake.md). */
export interface FakeGate extends AsyncDisposable {
  readonly url: string;
  /** Its requests, oldest first. */
  readonly requests: readonly Request[];
  /** Each call so far, such as `POST /v1/approvals`; an id in it is `{id}`. */
  readonly calls: readonly string[];
  /** Answers in its place; with `isCut` it executes the call, and its own answer is lost. */
  answer(rule: (call: string) => DoorAnswer | undefined): void;
  /** Happens before each answer. */
  before(act: (call: string) => unknown): void;
  /** Resolves at this call. */
  called(call: string): Promise<unknown>;
}

/** `status`: of each request, once it is first read. */
export async function startFakeGate(status = 'APPROVED'): Promise<FakeGate> {
  const requests: Request[] = [];
  const calls: string[] = [];
  const watchers = new Set<() => void>();
  let rule: (call: string) => DoorAnswer | undefined = () => undefined;
  let act: (call: string) => unknown = () => {};

  const server = createServer(async (message, response) => {
    const { pathname, searchParams } = new URL(message.url ?? '', 'http://gate');
    const [, id, verb] = /^\/v1\/approvals(?:\/([^/]+))?(?:\/(\w+))?$/.exec(pathname) ?? [];
    const call = `${message.method} ${pathname.replace(id ?? '{id}', '{id}')}`;
    const body = await bodyOf(message);
    await act(call);
    calls.push(call);
    for (const watch of watchers) watch();
    const waitS = Number(searchParams.get('wait'));
    const key = searchParams.get('key');
    const given = rule(call);
    const answer =
      given === undefined || given.isCut ? await answerTo({ id, key, verb, body, waitS }) : given;
    if (given?.isCut) return void response.destroy();
    response.writeHead(answer.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer.body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  async function answerTo(call: {
    readonly id: string | undefined;
    readonly key: string | null;
    readonly verb: string | undefined;
    readonly body: Json;
    readonly waitS: number;
  }): Promise<DoorAnswer> {
    const { id, key, verb, body, waitS } = call;
    if (id === undefined && key === null) return ask(body);
    const request = requests.find(
      (each) => (key ?? id) === (key === null ? each.id : each.body.key),
    );
    if (request === undefined) return problem(404, 'This source has no such approval.');
    if (verb === 'result') return take(request, body as unknown as Report); // as: what a test reports
    const isOpen = ['PENDING', 'BLOCKED'].includes(request.status);
    if (verb === 'withdraw' && isOpen) request.status = 'WITHDRAWN';
    if (verb !== undefined) return { status: 202, body: summaryOf(request) };
    if (request.status === 'PENDING') request.status = status;
    if (request.status === 'PENDING') await sleep(waitS * 1_000, undefined, { ref: false });
    return { status: 200, body: detailsOf(request) };
  }

  function ask(body: Json): DoorAnswer {
    const known = requests.find(({ body: { key } }) => key === body.key);
    if (known !== undefined) return { status: 200, body: summaryOf(known) };
    const id = `0-${String(requests.length).padStart(16, '0')}`;
    const request = { id, body, status: 'PENDING', reports: [] };
    for (const older of requests) {
      const isSame = body.supersedes !== undefined && body.supersedes === older.body.supersedes;
      if (!isSame || older.status !== 'PENDING') continue;
      Object.assign(older, { status: 'WITHDRAWN', supersededBy: request.id });
    }
    requests.push(request);
    return { status: 202, body: summaryOf(request) };
  }

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // as: it listens on a port
    requests,
    calls,
    answer: (given) => {
      rule = given;
    },
    before: (given) => {
      act = given;
    },
    called: (call) =>
      new Promise<void>((resolve) => {
        const look = () => calls.includes(call) && resolve();
        watchers.add(look);
        look();
      }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function bodyOf(message: IncomingMessage): Promise<Json> {
  const parts: Buffer[] = [];
  for await (const part of message) parts.push(part);
  return JSON.parse(Buffer.concat(parts).toString() || '{}');
}

function problem(status: number, detail: string): DoorAnswer {
  return { status, body: { type: 'about:blank', title: 'Refused', status, detail } };
}

/** `running` with a claim is accepted once: the same claim again is the same report. */
function take(request: Request, report: Report): DoorAnswer {
  const { reports, status } = request;
  if (status !== 'APPROVED') return problem(409, `This request is ${status}.`);
  const isKnown = reports.some(({ claim }) => claim !== undefined && claim === report.claim);
  if (report.claim !== undefined && reports.length > 0 && !isKnown)
    return problem(409, 'Another run has already reported.');
  if (!isKnown) reports.push({ ...report, at: earlier() });
  return { status: 200, body: detailsOf(request) };
}

/** Long enough ago that even a busy machine gives the same answer. */
function earlier(): string {
  return new Date(Date.now() - 2 * 3_600_000).toISOString();
}

function summaryOf({ id, status }: Request) {
  return { id, status, url: `/v1/approvals/${id}` };
}

function detailsOf(request: Request) {
  const { status, reports, supersededBy } = request;
  const isDecided = ['APPROVED', 'REJECTED'].includes(status);
  const [last] = reports.slice(-1);
  const history = reports.map((each) => ({ state: each.state, at: each.at }));
  const at = new Date().toISOString();
  const action = status === 'REJECTED' ? 'reject' : 'approve';
  return {
    ...summaryOf(request),
    final: status !== 'PENDING',
    shortId: '7H2N-K4QM',
    digest: '0'.repeat(64),
    createdAt: at,
    posting: { state: 'posted' },
    permalink: 'https://acme.slack.com/archives/C0DEPLOYS/p1',
    approvals: Number(status === 'APPROVED'),
    needs: [],
    ballots: isDecided ? [{ user: 'U0ANA', action, at }] : [],
    ...(isDecided && { outcome: { status, resolvedAt: earlier(), by: ['U0ANA'], certain: true } }),
    names: { U0ANA: 'Ana' },
    ...(status === 'WITHDRAWN' && { withdrawnAt: earlier() }),
    ...(supersededBy !== undefined && { supersededBy }),
    ...(last !== undefined && { result: { ...last, claim: undefined, history } }),
  };
}
