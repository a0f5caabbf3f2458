import type { HomeView } from '@slack/types';
import { z } from 'zod';
import { callSlack } from './call-slack.ts';
import type { SlackClient } from './web-api.ts';

/** The Home tab of the app, which each person has of their own. */
export interface HomeTab {
  /** Shows it to a person (`views.publish`), also to one who does not look. Throws RemoteFailure. */
  publish(user: string, view: HomeView): Promise<void>;
}

export function createHomeTab(client: SlackClient): HomeTab {
  return {
    async publish(user, view) {
      await callSlack(client, 'views.publish', { user_id: user, view }, z.unknown());
    },
  };
}
