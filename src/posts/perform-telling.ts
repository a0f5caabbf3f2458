import type { KnownBlock, ModalView } from '@slack/types';
import { settled } from '../reconcile/settled.ts';
import type { Modals } from '../slack/modals.ts';
import type { Outbox } from '../slack/outbox.ts';
import { makePost, type PostNeeds, takeTurn } from './make-post.ts';
import {
  type Audience,
  type Face,
  partNamed,
  type Telling,
  type TellResult,
  type TellStep,
  type ToldPart,
} from './telling.ts';

/** A message as people see it: `text` is for notifications and screen readers. */
export interface SlackMessage {
  readonly text: string;
  readonly blocks: readonly KnownBlock[];
}

/** How it looks, each time it is asked for. */
export interface Faces<AFace extends Face> {
  readonly view: (face: AFace) => ModalView;
  readonly result: (face: AFace) => SlackMessage;
  readonly announcement: () => SlackMessage;
}

export interface TellingNeeds extends PostNeeds {
  readonly outbox: Outbox;
  readonly modals: Pick<Modals, 'update'>;
}

/** A record that tells, by its id. */
export interface Told {
  readonly id: string;
  readonly telling: Telling;
  readonly audience: Audience;
}

/** Makes the one call of a step of telling. What fails elsewhere is a result. */
export async function performTelling<AFace extends Face>(
  needs: TellingNeeds,
  told: Told,
  step: TellStep<AFace>,
  faces: Faces<AFace>,
): Promise<TellResult> {
  const { modals, outbox } = needs;
  const { id, telling, audience } = told;
  switch (step.kind) {
    case 'show': {
      const { modal } = telling;
      if (modal === undefined) throw new Error('there is no modal to show it in');
      return done(modals.update({ id: modal }, faces.view(step.face)));
    }
    case 'update': {
      const { ts } = partNamed(telling, audience, 'result');
      if (ts === undefined) throw new Error('there is no message to change');
      return done(
        outbox.update({ channel: channelOf(told, 'result'), ts, ...faces.result(step.face) }),
      );
    }
    case 'open': {
      const opened = outbox.openDirectMessage(audience.by);
      return settled(opened.then((channel) => ({ kind: 'opened', channel }) as const));
    }
    case 'turn':
      return takeTurn(needs, channelOf(told, step.part));
    case 'find':
      return settled(find(needs, told, step.part));
    case 'post': {
      const content = step.part === 'result' ? faces.result(step.face) : faces.announcement();
      const metadata = { record: id, part: step.part };
      return makePost(needs, { channel: channelOf(told, step.part), ...content, metadata });
    }
  }
}

async function done(call: Promise<void>): Promise<TellResult> {
  return settled(call.then(() => ({ kind: 'done' }) as const));
}

async function find({ outbox }: TellingNeeds, told: Told, part: ToldPart): Promise<TellResult> {
  const channel = channelOf(told, part);
  const matches = { record: told.id, part };
  const ts = await outbox.findByMetadata({ channel, sinceAt: told.telling.createdAt, matches });
  return ts === undefined ? { kind: 'not-found' } : { kind: 'posted', channel, ts };
}

function channelOf({ telling, audience }: Told, part: ToldPart): string {
  const { channel } = partNamed(telling, audience, part);
  if (channel === undefined) throw new Error('a direct message is opened before it is written');
  return channel;
}
