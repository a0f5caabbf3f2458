import type { EphemeralMessage, Message } from '../wire.ts';
import { type Button, blockActionsPayload, buttonsOf, labelOf } from './block-action.ts';
import { seenIn } from './seen-in.ts';
import type { Delivery, Press } from './workspace-handle.ts';
import type { World } from './world.ts';

const triggerLifeMs = 3_000;
const responseLifeMs = 30 * 60_000;

export interface PressNeeds {
  readonly world: World;
  readonly url: string;
  readonly now: () => number;
  /** Takes a payload to the bot. */
  readonly deliver: (payload: unknown, isRetry: boolean) => Promise<Delivery>;
  readonly randomId: () => string;
}

/** A person presses a button they see; throws when there is no such button for them. */
export async function pressButton(press: Press, needs: PressNeeds): Promise<Delivery> {
  const { message, button } = findButton(press, needs.world);
  if (button.element.confirm && press.confirm === false) return notSent;
  const payload = () => payloadFor(press, message, button, needs);
  const first = payload();
  if (!press.twice) return needs.deliver(first, false);
  const isRetry = press.twice === 'delivered';
  const second = isRetry ? first : payload();
  const [delivery, other] = await Promise.all([
    needs.deliver(first, false),
    needs.deliver(second, isRetry),
  ]);
  return { ...delivery, second: other };
}

const notSent: Delivery = {
  sent: false,
  status: 0,
  body: '',
  ackMs: 0,
  acknowledged: false,
  shown: null,
};

function findButton(press: Press, world: World) {
  const message = seenIn(world, press.user, press.channel, press.ts);
  if (!message) throw new Error(`${press.user} sees no message ${press.ts} in ${press.channel}.`);
  const wanted = press.actionId ?? press.label;
  const button = buttonsOf(message).find(({ element }) =>
    press.actionId !== undefined
      ? element.action_id === press.actionId
      : labelOf(element) === press.label,
  );
  if (!button) throw new Error(`The message ${press.ts} has no button "${wanted}".`);
  return { message, button };
}

/** Every press has a trigger and a response_url of its own. */
function payloadFor(
  press: Press,
  message: Message | EphemeralMessage,
  button: Button,
  { world, url, now: clock, randomId }: PressNeeds,
) {
  const conversation = world.conversations.get(press.channel);
  if (!conversation) throw new Error(`There is no channel ${press.channel}.`);
  const now = clock();
  const triggerId = `${now}.${randomId()}`;
  const responseId = randomId();
  world.triggers.set(triggerId, {
    user: press.user,
    expiresAt: now + triggerLifeMs,
    used: false,
  });
  world.responses.set(responseId, {
    user: press.user,
    channel: press.channel,
    ts: press.ts,
    expiresAt: now + responseLifeMs,
    uses: 0,
  });
  return blockActionsPayload(world, now, {
    user: press.user,
    conversation,
    message,
    button,
    triggerId,
    responseUrl: `${url}/slack/response/${responseId}`,
  });
}
