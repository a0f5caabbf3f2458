import type { Source } from '../../core/config/config.ts';
import type { Core } from '../../core/core.ts';
import { recordOnce } from '../../core/engine/put-record.ts';
import { problem } from '../../core/http/problem.ts';
import { jsonReply, type Reply } from '../../core/http/reply.ts';
import type { Route } from '../../core/http/router.ts';
import { reportRoute } from '../../core/report-route.ts';
import type { Task } from '../../core/service/task.ts';
import { itemsOf } from './item.ts';
import { keepSnapshot } from './snapshot.ts';
import { encodeSnapshotPost, SNAPSHOT_KIND } from './snapshot-flow.ts';
import { answerAbout, type TaskRequest, taskOfRequest, taskRequest } from './task-request.ts';

/** The route where automations report work items. */
export function tasksRoute(core: Core): Route {
  return reportRoute(core, '/v1/tasks', taskRequest, (source, body) =>
    takeSnapshot(core, source, body),
  );
}

async function takeSnapshot(core: Core, source: Source, body: TaskRequest): Promise<Reply> {
  if (core.config.service === null) return NO_SERVICE;
  const { channel, ...rest } = body;
  if (!mayPost(core, source, channel)) return FORBIDDEN;
  const item = taskOfRequest(rest);
  const at = core.store.now();
  const snapshot = { kind: 'reported', source: source.id, item, at } as const;
  const kept = await keepSnapshot(core.store, snapshot, (id) => sendsTasks(core, id));
  if (kept === 'foreign') return NOT_OWN;
  if (kept === 'older') return jsonReply(200, answerAbout(item));
  if (channel !== undefined) await announceSnapshot(core, source, item, channel);
  return jsonReply(202, answerAbout(item));
}

/** Items of a removed source belong to nobody. */
function sendsTasks({ config }: Core, id: string): boolean {
  return config.sources.some((source) => source.id === id && source.kinds.includes('task'));
}

/** A source can use its own channels, and those of its routes. */
function mayPost({ config }: Core, source: Source, channel: string | undefined): boolean {
  if (!source.kinds.includes('task')) return false;
  if (channel === undefined || source.channels.includes(channel)) return true;
  return config.routes.some(
    (route) => route.channel === channel && source.routes.includes(route.name),
  );
}

/** Once for each version of the item: a repeated snapshot posts nothing. */
async function announceSnapshot(
  core: Core,
  source: Source,
  item: Task,
  channel: string,
): Promise<void> {
  const { id, key, title, updatedAt } = item;
  const { carryOn } = await recordOnce(core, {
    kind: SNAPSHOT_KIND,
    data: encodeSnapshotPost({
      v: 1,
      source: source.id,
      item: { id, key, title, updatedAt },
      count: itemsOf(item).length,
      createdAt: core.store.now(),
      post: { name: 'message', channel },
    }),
    key: [source.id, channel, id, updatedAt].join('\0'),
    audit: {
      action: 'tasks.snapshot.asked',
      record: null,
      actor: source.id,
      facts: { task: id, channel },
    },
  });
  carryOn();
}

const NO_SERVICE = problem({
  status: 422,
  title: 'Invalid request body',
  errors: [
    { pointer: '', detail: 'work items belong to a service, and none is configured (SERVICE_URL)' },
  ],
});

const FORBIDDEN = problem({
  status: 403,
  title: 'Forbidden',
  detail: 'This source cannot send work items, or cannot use that channel',
});

const NOT_OWN = problem({
  status: 403,
  title: 'Forbidden',
  detail: 'Another source reported this work item, or its key, first',
});
