import { isObject, parseJson } from '../exchange.ts';
import { blockActionsPayload, type Done, interactiveMessage } from './act-payload.ts';
import { attachmentOf } from './attachments.ts';
import { checkEntered } from './check-entered.ts';
import { deliverTwice, notSent } from './deliver-twice.ts';
import { findElement, keyOf, nameOf, type Placed, pressable, wordsOf } from './elements.ts';
import { enteredState, optionsOf } from './input-state.ts';
import { type Carry, interaction } from './notice.ts';
import { rememberInputs, type Spot, spotOf } from './place.ts';
import { Refusal } from './refusal.ts';
import { carryOutReply } from './response-url.ts';
import type { TriggerNeeds } from './trigger-ids.ts';
import type { Choice, Delivery, Entered, Press } from './user-actions.ts';

export interface ActNeeds extends TriggerNeeds {
  readonly carry: Carry;
  readonly changed: () => void;
}

/** A person presses a button they see; throws if there is no such button for them. */
export async function pressButton(press: Press, needs: ActNeeds): Promise<Delivery> {
  const spot = spotOf(needs.world, press.user, press);
  const placed = findButton(press, spot);
  if (placed.element.confirm && press.confirm === false) return notSent;
  const { user, hasResponseUrl = true } = press;
  return act({ user, placed, hasResponseUrl }, spot, press, needs);
}

function findButton(press: Press, { blocks }: Spot): Placed {
  const { actionId, label } = press;
  const found = pressable(blocks).find((placed) => {
    const isIt =
      actionId === undefined || [placed.element.action_id, keyOf(placed)].includes(actionId);
    return isIt && (label === undefined ? actionId !== undefined : nameOf(placed) === label);
  });
  if (found) return found;
  const where = 'surface' in press ? `The ${press.surface}` : `The message ${press.ts}`;
  throw new Error(`${where} has no button "${press.actionId ?? press.label}".`);
}

/** A person chooses or enters something. The app is notified at once only by elements that ask for it. */
export async function choose(choice: Choice, needs: ActNeeds): Promise<Delivery> {
  const spot = spotOf(needs.world, choice.user, choice);
  const placed = findElement(spot.blocks, choice.input);
  if (!placed) throw new Error(`${choice.user} sees no input "${choice.input}".`);
  if (placed.element.confirm && choice.confirm === false) return notSent;
  const chosen = chosenIn(placed, choice, spot, needs);
  const done: Done = { user: choice.user, placed, chosen };
  const speaks = placed.block.type !== 'input' || placed.block.dispatch_action === true;
  return speaks ? act(done, spot, choice, needs) : notSent;
}

/** An overflow menu keeps no value; everything else keeps what was chosen until it is changed. */
function chosenIn(placed: Placed, { user, value }: Choice, spot: Spot, { world }: ActNeeds) {
  const { element } = placed;
  if (element.type === 'overflow') return { selected_option: menuOption(element, value) };
  const key = keyOf(placed);
  const state = enteredState(element, value, spot.inputs.loaded.get(key));
  checkEntered(state, element, user, world);
  spot.inputs.entered.set(key, state);
  rememberInputs(world, spot);
  return state;
}

function menuOption(element: Placed['element'], wanted: Entered): unknown {
  const options = optionsOf(element).filter(isObject);
  const found = options.find(({ value, text }) => value === wanted || wordsOf(text) === wanted);
  if (!found) throw new Error(`${element.action_id} does not offer ${JSON.stringify(wanted)}.`);
  return found;
}

async function act(
  done: Done,
  spot: Spot,
  { twice }: Pick<Press, 'twice'>,
  needs: ActNeeds,
): Promise<Delivery> {
  const older = () => interactiveMessage(spot, done, needs);
  const make = () => interaction(older() ?? blockActionsPayload(spot, done, needs));
  const delivery = await deliverTwice(make, needs.carry, twice);
  const shown = spot.kind === 'message' ? answerOlder(delivery, done, spot, needs) : null;
  return shown === null ? delivery : { ...delivery, shown };
}

/** Members of a response, each enough to make it a message. */
const contents = ['attachments', 'blocks', 'delete_original', 'text'];

/**
 * The response to a button of the kind before Block Kit can be the message that takes the place of its own. Returns
 * what the person is shown if it cannot.
 */
function answerOlder(
  { acknowledged, body }: Delivery,
  { user, placed }: Done,
  { conversation, message }: Spot & { kind: 'message' },
  { world, now, changed }: ActNeeds,
): string | null {
  if (attachmentOf(message, placed.block, placed.element)?.action === undefined) return null;
  const reply = acknowledged ? parseJson(body) : undefined;
  if (!isObject(reply) || !contents.some((member) => member in reply)) return null;
  try {
    carryOutReply(reply, { user, channel: conversation.id, ts: message.ts }, world, now());
    changed();
    return null;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return `The response of the app cannot be shown: ${error.code}.`;
  }
}
