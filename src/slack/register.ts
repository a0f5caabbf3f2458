import type {
  AnyMiddlewareArgs,
  BlockAction,
  Middleware,
  SlackActionMiddlewareArgs,
  SlackCommandMiddlewareArgs,
  SlackEventMiddlewareArgs,
  SlackOptionsMiddlewareArgs,
  SlackShortcutMiddlewareArgs,
  SlackViewMiddlewareArgs,
  ViewClosedAction,
  ViewSubmitAction,
} from '@slack/bolt';
import { type Payload, type PayloadKind, readPayload } from './payload.ts';

type Table<Args> = Readonly<Record<string, Middleware<Args>>>;

/** What a feature listens to, by action id, callback id, command or event type. */
export interface Listeners {
  readonly actions?: Table<SlackActionMiddlewareArgs<BlockAction>>;
  /** Action ids that need nothing but the acknowledgement: buttons that open a link. */
  readonly links?: readonly string[];
  readonly commands?: Table<SlackCommandMiddlewareArgs>;
  readonly events?: Table<SlackEventMiddlewareArgs>;
  readonly options?: Table<SlackOptionsMiddlewareArgs<'block_suggestion'>>;
  readonly shortcuts?: Table<SlackShortcutMiddlewareArgs>;
  readonly views?: Table<SlackViewMiddlewareArgs<ViewSubmitAction>>;
  readonly viewsClosed?: Table<SlackViewMiddlewareArgs<ViewClosedAction>>;
}

/**
 * All listeners by what they listen to. Bolt tries each of its listeners on every request, which at
 * 20 of them halves the requests per second: one lookup takes their place.
 */
export type Registry = Map<string, Middleware<AnyMiddlewareArgs>>;

/** Adds listeners. Throws when something listens to the same id already. */
export function register(registry: Registry, listeners: Listeners): void {
  const add = <Args>(kind: PayloadKind, table: Table<Args> = {}) => {
    for (const [id, listener] of Object.entries(table)) {
      const key = keyOf({ kind, id });
      if (registry.has(key)) throw new Error(`Two listeners for ${key}`);
      // Bolt makes the arguments by the same kind of request that the key begins with.
      registry.set(key, listener as Middleware<AnyMiddlewareArgs>);
    }
  };
  add('action', listeners.actions);
  add('action', Object.fromEntries((listeners.links ?? []).map((id) => [id, acknowledge])));
  add('command', listeners.commands);
  add('event', listeners.events);
  add('options', listeners.options);
  add('shortcut', listeners.shortcuts);
  add('view', listeners.views);
  add('view_closed', listeners.viewsClosed);
}

/** Runs the one listener that a request is for. */
export function dispatch(registry: Registry): Middleware<AnyMiddlewareArgs> {
  return async (args) => {
    await registry.get(keyOf(readPayload(args.body)))?.(args);
  };
}

/** One word for what a request names. */
export function keyOf({ kind, id }: Pick<Payload, 'kind' | 'id'>): string {
  return `${kind} ${id}`;
}

const acknowledge: Middleware<SlackActionMiddlewareArgs<BlockAction>> = ({ ack }) => ack();
