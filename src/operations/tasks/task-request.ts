import * as z from 'zod';
import { answer, problems, requestBody } from '../../core/http/openapi.ts';
import { readIsoTime } from '../../core/lib/iso-time.ts';
import type { Task, TaskNode } from '../../core/service/task.ts';
import { itemsOf } from './item.ts';

/** Deeper than people nest items. */
const DEPTH_MAX = 50;
const text = z.string().min(1).max(300);

interface SubItem {
  readonly id: string;
  readonly key?: string | null | undefined;
  readonly title?: string | null | undefined;
  readonly status: string;
  readonly projectId?: string | null | undefined;
  readonly updatedAt?: string | undefined;
  readonly subItems?: readonly SubItem[] | undefined;
}

const node = {
  /** Verbatim, because it is sent back to the service. */
  id: text,
  key: text.nullable().optional(),
  title: z.string().max(1_000).nullable().optional(),
  /** A status id. */
  status: text,
  projectId: text.nullable().optional(),
};

const subItem: z.ZodType<SubItem> = z
  .strictObject({
    ...node,
    updatedAt: text.optional(),
    get subItems() {
      return z.array(subItem).optional();
    },
  })
  .meta({ id: 'SubItem' });

/** Checked first: deeper nesting could exhaust the stack. */
const shallow = z.unknown().refine(isShallow, {
  path: ['subItems'],
  message: `must be at most ${DEPTH_MAX} levels deep`,
});

const NO_TIME = 'must be a time such as 2030-01-01T10:00:00Z';

const workItem = z
  .strictObject({
    ...node,
    subItems: z.array(subItem).optional(),
    /** Verbatim, in any ISO 8601 form. */
    updatedAt: text.refine((time) => readIsoTime(time) !== null, { error: NO_TIME }),
    channel: z
      .string()
      .regex(/^[CG][A-Z0-9]{2,}$/u, { error: 'must be a channel id (C… or G…)' })
      .optional(),
  })
  .refine((item) => areDistinct(itemsOf(taskOfRequest(item)).map(({ id }) => id)), {
    path: ['subItems'],
    message: 'must have no id twice, and not the id of the item',
  });

/** A work item as posted by an automation (Interface 2.1). Strict: an unknown member is an error. */
export const taskRequest = shallow.pipe(workItem);

export type TaskRequest = z.infer<typeof taskRequest>;

export function taskOfRequest(request: SubItem & { readonly updatedAt: string }): Task {
  return {
    ...nodeOf(request),
    updatedAt: request.updatedAt,
    projectId: request.projectId ?? null,
  };
}

function nodeOf({ id, key, title, status, subItems = [] }: SubItem): TaskNode {
  return { id, key: key ?? null, title: title ?? null, status, subItems: subItems.map(nodeOf) };
}

function isShallow(body: unknown): boolean {
  let level = [body];
  for (let depth = 0; depth < DEPTH_MAX; depth += 1) level = level.flatMap(subItemsOf);
  return level.length === 0;
}

function subItemsOf(item: unknown): unknown[] {
  const isItem = typeof item === 'object' && item !== null && 'subItems' in item;
  return isItem && Array.isArray(item.subItems) ? item.subItems : [];
}

function areDistinct(ids: readonly string[]): boolean {
  return new Set(ids).size === ids.length;
}

/** The answer to the source of a snapshot. */
const taskAnswer = z.strictObject({
  id: z.string(),
  key: z.string().nullable(),
  items: z.int().describe('The item and its sub-items'),
});

export function answerAbout(item: Task): z.infer<typeof taskAnswer> {
  return { id: item.id, key: item.key, items: itemsOf(item).length };
}

/** The part of `/openapi.json` (OpenAPI 3.1) about work items. */
export function tasksPaths(): Record<string, unknown> {
  return {
    '/v1/tasks': {
      post: {
        summary: 'Report a work item, so that it can be moved from Slack',
        operationId: 'reportTask',
        requestBody: requestBody(taskRequest),
        responses: {
          200: answer('A newer snapshot of it is known, and stays', taskAnswer),
          202: answer('It is kept for 7 days', taskAnswer),
          ...problems([400, 401, 403, 413, 415, 422, 429, 503]),
        },
      },
    },
  };
}
