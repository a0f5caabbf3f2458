import type { Config } from '../../src/core/config/config.ts';
import { type Door, openDoor } from './door.ts';

/** A proxy in front of Slack's Web API that can answer in its place; calls are named by their method. */
export interface SlackDoor extends Door<string | undefined> {
  /** The configuration of a bot that goes through it. */
  readonly config: (config: Config) => Config;
}

export async function openSlackDoor(): Promise<SlackDoor> {
  const door = await openDoor(({ path }) => path.split('/').at(-1));
  return {
    ...door,
    config(config) {
      const { origin, pathname } = new URL(config.slack.apiUrl ?? '');
      door.leadTo(origin);
      return { ...config, slack: { ...config.slack, apiUrl: `${door.url}${pathname}` } };
    },
  };
}
