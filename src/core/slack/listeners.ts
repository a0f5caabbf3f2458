import type {
  AllMiddlewareArgs,
  App,
  BlockAction,
  SlackActionMiddlewareArgs,
  SlackCommandMiddlewareArgs,
  SlackOptionsMiddlewareArgs,
  SlackShortcutMiddlewareArgs,
  SlackViewMiddlewareArgs,
  ViewSubmitAction,
} from '@slack/bolt';

/** What Bolt hands to a listener. */
export type CommandArgs = SlackCommandMiddlewareArgs;
export type ShortcutArgs = SlackShortcutMiddlewareArgs;
export type ActionArgs = SlackActionMiddlewareArgs<BlockAction>;
export type OptionsArgs = SlackOptionsMiddlewareArgs<'block_suggestion'>;
export type SubmitArgs = SlackViewMiddlewareArgs<ViewSubmitAction>;

/** What features listen with, as with Bolt's own app. */
export type Listeners = ReturnType<typeof createListeners>;

/**
 * Listens at Bolt once for each kind, and finds the listener by its id: Bolt tries all that it has on each request.
 * What none is for is not acknowledged (`boundary.ts`).
 */
export function createListeners(app: App) {
  const commands = tableOf<CommandArgs>();
  const shortcuts = tableOf<ShortcutArgs>();
  const actions = tableOf<ActionArgs>();
  const options = tableOf<OptionsArgs>();
  const views = tableOf<SubmitArgs>();
  app.command(ANY, (args) => commands.run(args.command.command, args));
  app.shortcut(ANY, (args) => shortcuts.run(args.shortcut.callback_id, args));
  app.action<BlockAction>(ANY, (args) => actions.run(args.action.action_id, args));
  app.options<'block_suggestion'>(ANY, (args) => options.run(args.body.action_id, args));
  app.view<ViewSubmitAction>(ANY, (args) => views.run(args.view.callback_id, args));
  return {
    command: commands.add,
    shortcut: shortcuts.add,
    action: actions.add,
    options: options.add,
    view: views.add,
    event: app.event.bind(app),
  };
}

const ANY = /^/;

function tableOf<Args>() {
  type Listener = (args: Args & AllMiddlewareArgs) => Promise<void>;
  const listeners = new Map<string, Listener>();
  return {
    add: (id: string, listener: Listener) => void listeners.set(id, listener),
    run: async (id: string, args: Args & AllMiddlewareArgs) => listeners.get(id)?.(args),
  };
}
