import type { webApi } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import { z } from 'zod';
import { callSlack } from './call-slack.ts';
import { checkLimits } from './check-limits.ts';
import { viewSchema } from './limits.ts';

export interface Modals {
  /** Opens a modal for whoever caused the trigger, within its 3 s. Throws RemoteFailure. */
  open(triggerId: string, view: ModalView): Promise<void>;
}

export function createModals(client: webApi.WebClient): Modals {
  return {
    async open(triggerId, view) {
      checkLimits('views.open', viewSchema, view);
      await callSlack(client, 'views.open', { trigger_id: triggerId, view }, z.unknown());
    },
  };
}
