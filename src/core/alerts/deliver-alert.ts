import type { Button, KnownBlock } from '@slack/types';
import type { Logger } from '../engine/reconciler.ts';
import { type FailureFacts, RemoteFailure } from '../lib/failure.ts';
import { actions, section } from '../slack/blocks.ts';
import type { Lookup } from '../slack/lookup.ts';
import type { Replies } from '../slack/replies.ts';
import type { Addressee, Alert } from './alert.ts';

export interface DeliverNeeds {
  readonly replies: Replies;
  readonly lookup: Pick<Lookup, 'recent'>;
  readonly logger: Logger;
}

export type Delivered =
  | { readonly kind: 'done' }
  /** A group gives way to these people. */
  | { readonly kind: 'members'; readonly users: readonly string[] }
  | { readonly kind: 'failed'; readonly failure: FailureFacts };

/** Gives the alert to one addressee; of a group it finds out who that is. */
export async function deliverAlert(
  needs: DeliverNeeds,
  alert: Alert,
  to: Pick<Addressee, 'kind' | 'id'>,
): Promise<Delivered> {
  try {
    return await deliver(needs, alert, to);
  } catch (error) {
    if (error instanceof RemoteFailure) return { kind: 'failed', failure: error.facts };
    throw error;
  }
}

async function deliver(
  { replies, lookup, logger }: DeliverNeeds,
  { about, text, button, addressees }: Alert,
  { kind, id }: Addressee,
): Promise<Delivered> {
  switch (kind) {
    case 'log': {
      const administrators = addressees.filter((each) => each.kind !== 'log').length;
      logger.warn({ about, text, administrators }, 'administrators have to act');
      return { kind: 'done' };
    }
    case 'person':
      await replies.direct({ user: id, text, ...(button && { blocks: blocksOf(text, button) }) });
      return { kind: 'done' };
    case 'group': {
      const { users, missing } = await lookup.recent.groupMembers(id);
      if (missing !== null)
        logger.warn({ group: id, missing }, 'a group of administrators is empty');
      return { kind: 'members', users };
    }
  }
}

function blocksOf(text: string, button: Button): KnownBlock[] {
  return [section(text), actions('alerts.actions', [button])];
}
