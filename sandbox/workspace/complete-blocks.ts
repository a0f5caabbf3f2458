import { isObject } from '../exchange.ts';
import type { Block } from '../wire.ts';
import type { World } from './world.ts';

/** Adds the block_id and action_id that Slack generates, and two defaults of texts. */
export function completeBlocks(blocks: readonly Block[], world: World): Block[] {
  const id = (): string => {
    world.counter += 1;
    return world.counter.toString(36).padStart(5, '0');
  };
  return blocks.map(({ type, block_id, ...parts }) => ({
    type,
    block_id: block_id ?? id(),
    ...completedParts(parts, id),
  }));
}

function completedParts(parts: object, id: () => string): Record<string, unknown> {
  const entries = Object.entries(parts).map(([name, part]) => [name, completed(part, id)]);
  return Object.fromEntries(entries);
}

/** A text object as Slack keeps it. */
export function withTextDefaults(value: unknown): unknown {
  if (!isObject(value)) return value;
  return { ...(value.type === 'mrkdwn' ? { verbatim: false } : { emoji: true }), ...value };
}

/** Types of objects in blocks that are not interactive elements. */
const texts = new Set(['plain_text', 'mrkdwn', 'image']);

function completed(value: unknown, id: () => string): unknown {
  if (Array.isArray(value)) return value.map((part) => completed(part, id));
  if (!isObject(value)) return value;
  if (value.type === 'plain_text' || value.type === 'mrkdwn') return withTextDefaults(value);
  if (typeof value.type === 'string' && value.type.startsWith('rich_text')) return value;
  const acts = typeof value.type === 'string' && !texts.has(value.type);
  return { ...(acts && { action_id: id() }), ...completedParts(value, id) };
}
