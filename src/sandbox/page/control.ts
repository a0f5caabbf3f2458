import { z } from 'zod';
import type { Changes } from '../changes.ts';
import { type Answer, type Exchange, parseJson, send } from '../exchange.ts';
import type { Sandbox } from '../sandbox.ts';
import { pageState } from './page-state.ts';

const pressBody = z.strictObject({
  user: z.string(),
  channel: z.string(),
  ts: z.string(),
  actionId: z.string(),
});
const askBody = z.strictObject({
  title: z
    .string()
    .trim()
    .min(1, 'Write what needs an approval.')
    .max(140, 'Write it in 140 characters or fewer.'),
});
const decideBody = z.strictObject({
  approval: z.string(),
  action: z.enum(['approve', 'reject', 'time-out', 'check']),
});

export interface Control {
  /** `path` is what stands behind `/sandbox/v1`. */
  readonly answer: (exchange: Exchange, path: string) => Promise<void>;
  readonly reset: () => void;
}

/** What the page asks of the sandbox. Writes take JSON only, so that no foreign page can send one. */
export function createControl(sandbox: Sandbox, changes: Changes): Control {
  const titles = new Map<string, string>();
  /** Ids the intake gave, by the approval's id here. */
  const intakeIds = new Map<string, string>();

  const ask = async ({ title }: z.infer<typeof askBody>): Promise<Answer> => {
    const { token } = sandbox.service.createApproval({
      prompt: 'All checks are green. Shall it go out?',
    });
    const { id } = sandbox.service.approval(token);
    titles.set(id, title);
    const asked = await sandbox.automation.ask({
      token,
      title,
      fields: { Environment: 'production' },
      requestedBy: { slackUser: 'U0CLEO' },
    });
    intakeIds.set(id, asked.id);
    if (asked.id) return { status: 200, body: { approval: id } };
    return failure(`The bot’s intake answered with status ${asked.status}.`);
  };

  const check = async (id: string): Promise<Answer> => {
    const intakeId = intakeIds.get(id);
    if (!intakeId) return failure('The bot was not asked about this approval.');
    const { status } = await sandbox.automation.check(intakeId);
    if (status >= 300) return failure(`The bot’s intake answered with status ${status}.`);
    return { status: 200, body: { approval: id } };
  };

  const decide = async ({ approval: id, action }: z.infer<typeof decideBody>): Promise<Answer> => {
    const approval = sandbox.service.approvals().find((each) => each.id === id);
    if (!approval) return failure('There is no such approval.');
    if (action === 'check') return check(id);
    if (action === 'time-out') sandbox.service.timeOut(approval.token);
    else sandbox.service.decide(approval.token, action);
    return { status: 200, body: { approval: id } };
  };

  const press = async (given: z.infer<typeof pressBody>): Promise<Answer> => {
    const { shown } = await sandbox.workspace.click(given);
    return { status: 200, body: { shown } };
  };

  const write = (exchange: Exchange, path: string): Promise<Answer> => {
    if (path === '/ask') return taken(exchange, askBody, ask);
    if (path === '/decide') return taken(exchange, decideBody, decide);
    if (path === '/press') return taken(exchange, pressBody, press);
    return Promise.resolve({ status: 404, body: { error: 'There is nothing here.' } });
  };

  return {
    answer: async (exchange, path) => {
      if (exchange.method === 'POST') return send(exchange.response, await write(exchange, path));
      if (path === '/events') return tell(exchange, changes);
      const user = exchange.query.get('user') ?? '';
      send(exchange.response, { status: 200, body: pageState(sandbox, user, titles) });
    },
    reset: () => {
      titles.clear();
      intakeIds.clear();
    },
  };
}

function failure(error: string): Answer {
  return { status: 422, body: { error } };
}

async function taken<Body>(
  exchange: Exchange,
  schema: z.ZodType<Body>,
  work: (body: Body) => Promise<Answer>,
): Promise<Answer> {
  if (exchange.headers['content-type'] !== 'application/json') return failure('Send JSON.');
  const body = schema.safeParse(parseJson(exchange.body.toString()));
  if (!body.success) return failure(body.error.issues.map(({ message }) => message).join(' '));
  try {
    return await work(body.data);
  } catch (error) {
    return failure(error instanceof Error ? error.message : 'It failed.');
  }
}

/** Server-sent events: one empty word for every change. */
function tell({ response }: Exchange, changes: Changes): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.write('retry: 500\n\ndata: \n\n');
  response.on(
    'close',
    changes.subscribe(() => response.write('data: \n\n')),
  );
}
