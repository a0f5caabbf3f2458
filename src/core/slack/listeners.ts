import type {
  AllMiddlewareArgs,
  App,
  BlockAction,
  ReceiverEvent,
  SlackActionMiddlewareArgs,
  SlackCommandMiddlewareArgs,
  SlackOptionsMiddlewareArgs,
  SlackShortcutMiddlewareArgs,
  SlackViewMiddlewareArgs,
  ViewSubmitAction,
} from '@slack/bolt';

/** What Bolt passes to a listener. */
export type CommandArgs = SlackCommandMiddlewareArgs & AllMiddlewareArgs;
export type ShortcutArgs = SlackShortcutMiddlewareArgs & AllMiddlewareArgs;
/** The part that exists without Bolt: see `press`. */
export interface ActionArgs extends Pick<SlackActionMiddlewareArgs<BlockAction>, 'body' | 'ack'> {
  readonly context: Pick<AllMiddlewareArgs['context'], 'retryNum'>;
}
export type OptionsArgs = SlackOptionsMiddlewareArgs<'block_suggestion'> & AllMiddlewareArgs;
export type SubmitArgs = SlackViewMiddlewareArgs<ViewSubmitAction> & AllMiddlewareArgs;

/** How features listen; the methods are named as in Bolt's app. */
export type Listeners = ReturnType<typeof createListeners>;

/**
 * Registers one listener of each kind with Bolt and finds ours by id, because Bolt tries every listener on each
 * request. A request without a listener is not acknowledged (`boundary.ts`).
 */
export function createListeners(app: App) {
  const commands = tableOf<CommandArgs>();
  const shortcuts = tableOf<ShortcutArgs>();
  const actions = tableOf<ActionArgs>();
  const options = tableOf<OptionsArgs>();
  const views = tableOf<SubmitArgs>();
  app.command(ANY, async (args) => commands.run(args.command.command, args));
  app.shortcut(ANY, async (args) => shortcuts.run(args.shortcut.callback_id, args));
  app.action<BlockAction>(ANY, async (args) => actions.run(args.action.action_id, args));
  app.options<'block_suggestion'>(ANY, async (args) => options.run(args.body.action_id, args));
  app.view<ViewSubmitAction>(ANY, async (args) => views.run(args.view.callback_id, args));
  return {
    command: commands.add,
    shortcut: shortcuts.add,
    action: actions.add,
    options: options.add,
    view: views.add,
    event: app.event.bind(app),
    /**
     * Runs the listener of a button or menu, already validated (`payload.ts`), without Bolt's middleware. undefined:
     * there is no listener, or it is not a press.
     */
    press({ body, ack, retryNum }: ReceiverEvent): Promise<void> | undefined {
      if (body.type !== 'block_actions') return undefined;
      const pressed = body as BlockAction; // as: validated for its kind
      const context = retryNum === undefined ? {} : { retryNum };
      return actions.run(pressed.actions[0]?.action_id ?? '', { body: pressed, ack, context });
    },
  };
}

const ANY = /^/;

function tableOf<Args>() {
  type Listener = (args: Args) => Promise<void>;
  const listeners = new Map<string, Listener>();
  return {
    add: (id: string, listener: Listener) => void listeners.set(id, listener),
    run: (id: string, args: Args) => listeners.get(id)?.(args),
  };
}
