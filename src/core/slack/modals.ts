import type { ModalView } from '@slack/types';
import * as z from 'zod';
import type { SlackClient } from './call-slack.ts';
import { callSlack } from './call-slack.ts';
import type { CallOptions } from './outbox.ts';

/** An open modal. */
export interface OpenModal {
  readonly id: string;
  /** Changes with the modal: an update with an outdated hash is refused. */
  readonly hash?: string;
}

/** Modals. All methods throw RemoteFailure within 2 s. */
export interface Modals {
  /** Opens a modal for the person behind the trigger, which is valid for 3 s. */
  open(triggerId: string, view: ModalView): Promise<OpenModal>;
  /** Changes a modal. `refused` `not_found` when it was closed, `hash_conflict` when it has changed. */
  update(modal: OpenModal, view: ModalView, options?: CallOptions): Promise<OpenModal>;
}

const opened = z.looseObject({ view: z.looseObject({ id: z.string(), hash: z.string() }) });
const updated = z.looseObject({
  view: z.looseObject({ hash: z.string() }).optional().catch(undefined),
});

export function createModals(client: SlackClient): Modals {
  return {
    async open(triggerId, view) {
      const parameters = { trigger_id: triggerId, view };
      const { id, hash } = (await callSlack(client, 'views.open', parameters, opened)).view;
      return { id, hash };
    },
    async update({ id, hash }, view, options) {
      const parameters = { view_id: id, hash, view };
      const answer = await callSlack(client, 'views.update', parameters, updated, options?.signal);
      const now = answer.view?.hash;
      return { id, ...(now !== undefined && { hash: now }) };
    },
  };
}
