import type { Connect, Exchanged } from '../../../src/core/http/exchange.ts';
import { RemoteFailure } from '../../../src/core/lib/failure.ts';
import { system } from '../../../src/core/lib/system.ts';
import {
  createServiceClient,
  type ServiceClient,
} from '../../../src/core/service/service-client.ts';
import type { Chance } from '../../simulation/chance.ts';
import { spoiledAnswer } from '../answers.ts';
import { oddText } from '../mutate.ts';
import { Finding, type OpenTarget, type Target } from '../target.ts';

const TOKEN = 'tok-9f8e7d6c5b4a39281706';
const API_KEY = 'key-0a1b2c3d4e5f60718293';
const SCIM_TOKEN = 'scim-5566778899aabbccddee';

interface Call {
  /** The response of a correct service. */
  readonly right: unknown;
  readonly make: (client: ServiceClient, chance: Chance) => Promise<unknown>;
}

const USER = {
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
  id: 'u-1',
  externalId: 'x-1',
  userName: 'ana@example.com',
  displayName: 'Ana Silva',
  name: { formatted: 'Ana Silva', givenName: 'Ana', familyName: 'Silva' },
  title: 'Lead',
  active: true,
  'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { department: 'Platform' },
};
const PAGE = { totalResults: 1, startIndex: 1, itemsPerPage: 100, Resources: [USER] };
const STATUS = { status: 'PENDING', message: 'Deploy?', resolvedAt: null, data: { id: 'a-1' } };
const ITEM = {
  data: {
    id: 't-1',
    key: 'OPS-12',
    title: 'A task',
    updatedAt: '2026-01-05T08:00:00Z',
    status: 's-open',
    projectId: 'p-1',
    subItems: [{ id: 't-2', key: 'OPS-13', title: 'Sub', status: 's-open', subItems: [] }],
  },
};
const MOVE = {
  taskId: 't-1',
  targetProjectId: 'p-2',
  statusMapping: { 's-open': 's-new' },
  baseUpdatedAt: '2026-01-05T08:00:00Z',
  subtreeTaskIds: ['t-1', 't-2'],
  targetTaskTypeId: null,
};
const MOVED = {
  data: { id: 't-1', key: 'PLAT-7', spaceSlug: 'eng', projectSlug: 'platform' },
  movedCount: 2,
  droppedFieldCount: 1,
};

function text(usual: string, chance: Chance): string {
  return chance.often(0.05) ? oddText(chance) : usual;
}

const APPROVALS: readonly [Call, ...Call[]] = [
  { right: STATUS, make: (client) => client.approvals.get(TOKEN) },
  {
    right: { status: 'APPROVED', resolvedAt: '2026-01-05T08:00:00Z' },
    make: (client, chance) =>
      client.approvals.respond(TOKEN, { action: 'approve', userId: text('u-1', chance) }),
  },
  { right: { error: 'not found' }, make: (client) => client.probe(TOKEN) },
];

const WRITES: readonly [Call, ...Call[]] = [
  { right: MOVED, make: async (client) => client.tasks?.move(MOVE) },
  { right: ITEM, make: async (client, chance) => client.tasks?.read?.(text('OPS-12', chance)) },
  {
    right: {
      data: { id: 'c-1', title: 'A case', priority: 'HIGH', type: 'MANUAL', status: 'DRAFT' },
    },
    make: async (client, chance) =>
      client.testCases?.create({
        spaceSlug: 'eng',
        projectId: text('tp-1', chance),
        title: 'A case',
      }),
  },
];

const SCIM: readonly [Call, ...Call[]] = [
  {
    right: PAGE,
    make: async (client, chance) => client.users?.findByEmail(text('ana@example.com', chance)),
  },
  {
    right: PAGE,
    make: async (client, chance) => client.users?.find('externalId', text('x-1', chance)),
  },
  { right: USER, make: async (client, chance) => client.users?.find('id', text('u-1', chance)) },
  { right: PAGE, make: async (client) => firstPages(client) },
  {
    right: USER,
    make: async (client) => client.users?.create({ userName: 'ana@example.com', active: true }),
  },
  {
    right: USER,
    make: async (client, chance) =>
      client.users?.patch('u-1', [
        { op: 'replace', attribute: 'title', value: text('Lead', chance) },
      ]),
  },
  { right: {}, make: async (client, chance) => client.users?.delete(text('u-1', chance)) },
];

/** A service may invent accounts without end: the reader limits the pages. */
async function firstPages(client: ServiceClient): Promise<void> {
  let pages = 0;
  for await (const _ of client.users?.pages({ filter: null }) ?? []) {
    pages += 1;
    if (pages === 5) return;
  }
}

/** The service's responses, right and wrong: a call gives an outcome or a RemoteFailure without a secret. */
export const serviceTarget = answersTarget('service', 12, [...APPROVALS, ...WRITES]);
export const scimTarget = answersTarget('scim', 12, SCIM);

function answersTarget(name: string, weight: number, calls: readonly Call[]): Target {
  return {
    name,
    weight,
    async open() {
      let answer: () => Exchanged = () => ({
        kind: 'failed',
        sent: false,
        code: 'none',
        message: '',
      });
      const connect: Connect = () => ({ send: async () => answer(), close: async () => {} });
      const task = { path: '/api/v1/tasks' };
      const client = createServiceClient({
        ...system,
        baseUrl: 'https://service.invalid/base/',
        apiKey: API_KEY,
        scimToken: SCIM_TOKEN,
        dialect: { approval: { auth: 'none' }, task },
        connect,
      });
      return {
        async run(chance) {
          const call = chance.pick(calls);
          if (call === undefined) return;
          const { right, make } = call;
          // A response may repeat the request, and a request for an approval contains its token.
          const secrets = [API_KEY, SCIM_TOKEN, ...(APPROVALS.includes(call) ? [TOKEN] : [])];
          answer = () => spoiledAnswer(right, secrets, chance);
          let outcome: unknown;
          try {
            outcome = await make(client, chance);
          } catch (error) {
            if (!(error instanceof RemoteFailure)) throw error;
            // An outcome may repeat the service's own words; a failure is logged.
            const said = `${error.stack} ${String(error.cause)} ${JSON.stringify(error.facts)}`;
            const secret = [TOKEN, API_KEY, SCIM_TOKEN].find((each) => said.includes(each));
            if (secret !== undefined)
              throw new Finding('leak', `a failure holds ${secret}: ${said}`);
          }
          JSON.stringify(outcome);
        },
        close: () => client.close(),
      } satisfies OpenTarget;
    },
  };
}
