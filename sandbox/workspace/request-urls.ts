import type { Manifest } from './manifest.ts';
import type { Notice } from './notice.ts';

/** Where an app takes what Slack sends. */
export interface RequestUrls {
  readonly events: string;
  /** Buttons, modals and shortcuts. */
  readonly interactivity: string;
  /** Options of external selects. */
  readonly options: string;
  readonly commands: string;
  /** Of commands with a URL of their own, by their name with its slash. */
  readonly byCommand: Readonly<Record<string, string>>;
}

/** The URL for a notice. @param urls a text: one for everything */
export function urlFor(urls: string | RequestUrls, { kind, payload }: Notice): string {
  if (typeof urls === 'string') return urls;
  if (kind === 'events_api') return urls.events;
  if (kind === 'slash_commands') {
    const command = String(payload.command);
    const own = Object.hasOwn(urls.byCommand, command) ? urls.byCommand[command] : undefined;
    return own ?? urls.commands;
  }
  return payload.type === 'block_suggestion' ? urls.options : urls.interactivity;
}

/**
 * The URLs of an app that runs on this machine: the paths of its manifest on the host of `app`, and `app` itself for
 * what the manifest does not name. @param given those that are known better
 */
export function urlsOf(
  app: string,
  manifest: Pick<Manifest, 'urls'> | undefined,
  given: Partial<Pick<RequestUrls, 'events' | 'interactivity' | 'commands'>>,
): RequestUrls {
  const here = (url: string | undefined): string => {
    // A placeholder in its file is no address.
    if (url === undefined || !URL.canParse(url)) return app;
    const { pathname, search } = new URL(url);
    return new URL(pathname + search, app).href;
  };
  const { events, interactivity, options, commands = {} } = manifest?.urls ?? {};
  const byCommand = Object.entries(commands).map(([command, url]) => [command, here(url)]);
  return {
    events: given.events ?? here(events),
    interactivity: given.interactivity ?? here(interactivity),
    options: given.interactivity ?? here(options ?? interactivity),
    commands: given.commands ?? app,
    byCommand: given.commands === undefined ? Object.fromEntries(byCommand) : {},
  };
}

/** All of them, each once. */
export function listUrls(urls: string | RequestUrls): readonly string[] {
  if (typeof urls === 'string') return [urls];
  const { byCommand, ...others } = urls;
  return [...new Set([...Object.values(others), ...Object.values(byCommand)])];
}
