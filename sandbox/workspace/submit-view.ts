import { isObject, parseJson } from '../exchange.ts';
import { shownView } from './act-payload.ts';
import { viewProblems } from './blocks/check-blocks.ts';
import { checkEntered } from './check-entered.ts';
import { deliverTwice, notSent } from './deliver-twice.ts';
import { elementsOf, findElement, keyOf } from './elements.ts';
import { type ElementState, enteredState, isFilled } from './input-state.ts';
import { heldIn, stateValues } from './inputs.ts';
import { type Carry, interaction } from './notice.ts';
import { keepView, modalOf, mostViews, newViewId, stackOf } from './open-views.ts';
import { bot } from './seed.ts';
import { newResponseUrl, newTrigger, type TriggerNeeds } from './trigger-ids.ts';
import type { Closing, Delivery, Entered, Submission } from './user-actions.ts';
import { whoActs } from './who.ts';
import type { OpenView, World } from './world.ts';

interface ViewNeeds extends TriggerNeeds {
  readonly carry: Carry;
  readonly changed: () => void;
}

const failed = 'We had some trouble connecting. Try again?';

/**
 * A person submits their open modal, and the app's response is applied. Throws if there is none, or a required input is
 * empty: Slack does not send that.
 */
export async function submitView(
  { user, values = {}, twice }: Submission,
  needs: ViewNeeds,
): Promise<Delivery> {
  fillView(user, values, needs.world);
  const open = openModal(user, needs.world);
  if (open.view.submit === null) throw new Error('The modal has no button to submit it.');
  checkSubmitted(open);
  open.errors = {};
  const delivery = await deliverTwice(() => submission(open, needs), needs.carry, twice);
  // The app may have updated the view before it answered, or the person may have closed it.
  const still = needs.world.views.get(open.view.id);
  const shown = delivery.acknowledged ? still && carryOut(delivery.body, still, needs) : failed;
  needs.changed();
  return { ...delivery, shown: shown ?? null };
}

/** A person fills in their open modal. The app is not notified. */
function fillView(user: string, values: Readonly<Record<string, Entered>>, world: World): void {
  const { view, inputs } = openModal(user, world);
  for (const [wanted, value] of Object.entries(values)) {
    const placed = findElement(view.blocks, wanted);
    if (!placed) throw new Error(`The modal has no input "${wanted}".`);
    const key = keyOf(placed);
    const state = enteredState(placed.element, value, inputs.loaded.get(key));
    checkEntered(state, placed.element, user, world);
    inputs.entered.set(key, state);
  }
}

/** Throws what Slack tells the person instead of submitting the modal. */
function checkSubmitted({ view, inputs }: OpenView): void {
  const values = stateValues(view.blocks, inputs);
  for (const block of view.blocks.filter(({ type }) => type === 'input')) {
    for (const [actionId, state] of Object.entries(values[String(block.block_id)] ?? {})) {
      if (block.optional !== true && !isFilled(state)) throw new Error(`${actionId} is required.`);
      const problem = problemOf(state, isObject(block.element) ? block.element : {});
      if (problem) throw new Error(`${actionId} wants ${problem}.`);
    }
  }
}

function problemOf({ type, value }: ElementState, element: Record<string, unknown>): string | null {
  if (typeof value !== 'string') return null;
  switch (type) {
    case 'plain_text_input':
      return value.length < Number(element.min_length ?? 0)
        ? `${element.min_length} characters`
        : null;
    case 'email_text_input':
      return /^[^@\s]+@[^@\s.]+(?:\.[^@\s.]+)+$/.test(value) ? null : 'an address';
    case 'url_text_input':
      return URL.canParse(value) ? null : 'a link';
    case 'number_input':
      return isNumber(value, element) ? null : 'a number that it takes';
    default:
      return null;
  }
}

function isNumber(value: string, element: Record<string, unknown>): boolean {
  const number = Number(value);
  const least = Number(element.min_value ?? Number.NEGATIVE_INFINITY);
  const most = Number(element.max_value ?? Number.POSITIVE_INFINITY);
  const isWhole = element.is_decimal_allowed === true || Number.isInteger(number);
  return Number.isFinite(number) && isWhole && number >= least && number <= most;
}

function submission(open: OpenView, needs: ViewNeeds) {
  return interaction({
    type: 'view_submission',
    ...whoActs(needs.world, open.user),
    api_app_id: bot.appId,
    trigger_id: newTrigger(needs, open.user, { viewId: open.view.id, channel: open.channel }),
    view: shownView(open),
    response_urls: responseUrls(open, needs),
  });
}

/** A `response_url` for each chosen conversation whose select asks for one. */
function responseUrls({ user, view, inputs }: OpenView, needs: ViewNeeds) {
  return elementsOf(view.blocks).flatMap((placed) => {
    const { block, element } = placed;
    const held = heldIn(placed, inputs);
    const channel = held?.selected_conversation ?? held?.selected_channel;
    if (element.response_url_enabled !== true || typeof channel !== 'string') return [];
    return [
      {
        block_id: block.block_id,
        action_id: element.action_id,
        channel_id: channel,
        response_url: newResponseUrl(needs, { user, channel }),
      },
    ];
  });
}

/** Applies the app's response. Returns what the person is shown if that is not possible. */
function carryOut(body: string, open: OpenView, needs: ViewNeeds): string | null {
  const { world } = needs;
  const answer = body.trim() === '' ? {} : parseJson(body);
  if (!isObject(answer)) return failed;
  switch (answer.response_action) {
    case undefined:
      world.views.delete(open.view.id);
      return null;
    case 'clear':
      for (const { view } of stackOf(world, open)) world.views.delete(view.id);
      return null;
    case 'errors':
      return showErrors(answer.errors, open);
    case 'update':
    case 'push':
      return showView(answer.response_action, answer.view, open, needs);
    default:
      return failed;
  }
}

/** Errors belong to inputs, by block id. */
function showErrors(errors: unknown, open: OpenView): string | null {
  if (!isObject(errors)) return failed;
  const inputs = open.view.blocks.filter(({ type }) => type === 'input');
  const entries = Object.entries(errors).map(([id, words]) => [id, String(words)]);
  const isKnown = ([id]: string[]): boolean => inputs.some(({ block_id }) => block_id === id);
  if (entries.length === 0 || !entries.every(isKnown)) return failed;
  open.errors = Object.fromEntries(entries);
  return null;
}

function showView(
  action: 'update' | 'push',
  given: unknown,
  open: OpenView,
  { world, now }: ViewNeeds,
): string | null {
  const { user, view, channel } = open;
  if (!isObject(given) || given.type !== 'modal' || viewProblems(given).length > 0) return failed;
  const rootId = view.root_view_id;
  if (action === 'update') {
    const previousId = view.previous_view_id;
    keepView(world, given, { user, id: view.id, rootId, previousId, channel }, now());
    return null;
  }
  if (stackOf(world, open).length >= mostViews) return failed;
  const above = { user, id: newViewId(world), rootId, previousId: view.id, channel };
  keepView(world, given, above, now());
  return null;
}

/** A person closes their open modal, or the whole stack. The app is notified if the view asked for it. */
export async function closeView(
  { user, view, all = false }: Closing,
  needs: ViewNeeds,
): Promise<Delivery> {
  const open = openModal(user, needs.world, view);
  const isCleared = all || open.view.clear_on_close === true;
  const closed = isCleared ? stackOf(needs.world, open).reverse() : [open];
  for (const { view } of closed) needs.world.views.delete(view.id);
  needs.changed();
  let last = notSent;
  for (const each of closed.filter(({ view }) => view.notify_on_close === true)) {
    last = await needs.carry(closedNotice(each, isCleared, needs));
  }
  return last;
}

function closedNotice(open: OpenView, isCleared: boolean, { world }: ViewNeeds) {
  return interaction({
    type: 'view_closed',
    ...whoActs(world, open.user),
    api_app_id: bot.appId,
    view: shownView(open),
    is_cleared: isCleared,
  });
}

/** The one the person sees, or the one with this id. Throws if none is open. */
function openModal(user: string, world: World, id = modalOf(world, user)?.view.id): OpenView {
  const open = world.views.get(id ?? '');
  if (open?.user !== user) throw new Error(`${user} has no modal open.`);
  return open;
}
