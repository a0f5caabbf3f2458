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

/** What Bolt passes to a listener. */
export type CommandArgs = SlackCommandMiddlewareArgs & AllMiddlewareArgs;
export type ShortcutArgs = SlackShortcutMiddlewareArgs & AllMiddlewareArgs;
export type ActionArgs = SlackActionMiddlewareArgs<BlockAction> & AllMiddlewareArgs;
export type OptionsArgs = SlackOptionsMiddlewareArgs<'block_suggestion'> & AllMiddlewareArgs;
export type SubmitArgs = SlackViewMiddlewareArgs<ViewSubmitAction> & AllMiddlewareArgs;

type Listen<Args> = (id: string, listener: (args: Args) => Promise<void>) => void;

/** How features listen, as with Bolt's app: the methods are Bolt's, with one listener for each id. */
export interface Listeners extends Pick<App, 'event'> {
  readonly command: Listen<CommandArgs>;
  readonly shortcut: Listen<ShortcutArgs>;
  readonly action: Listen<ActionArgs>;
  readonly options: Listen<OptionsArgs>;
  readonly view: Listen<SubmitArgs>;
}
