import type { HomeView } from '@slack/types';
import * as z from 'zod';
import type { SlackClient } from './call-slack.ts';
import { callSlack } from './call-slack.ts';

/** The app's Home tab, one for each person. */
export interface HomeTab {
  /** Shows it to a person (`views.publish`), even if they are not looking. Throws RemoteFailure. */
  publish(user: string, view: HomeView): Promise<void>;
}

export function createHomeTab(client: SlackClient): HomeTab {
  return {
    async publish(user, view) {
      await callSlack(client, 'views.publish', { user_id: user, view }, z.unknown());
    },
  };
}
