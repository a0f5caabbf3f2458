import { isObject, parseJson } from '../exchange.ts';
import { shownView } from './act-payload.ts';
import { viewProblems } from './blocks/check-blocks.ts';
import { carryOften } from './carry-often.ts';
import { checkSubmitted } from './check-submitted.ts';
import type { Delivery, Submission } from './doings.ts';
import { fillView, openModal } from './fill-view.ts';
import { type Carry, interaction } from './notice.ts';
import { keepView, mostViews, newViewId, stackOf } from './open-views.ts';
import { newTrigger, type PermitNeeds } from './permit.ts';
import { bot } from './seed.ts';
import { whoActs } from './who.ts';
import type { OpenView } from './world.ts';

export interface ViewNeeds extends PermitNeeds {
  readonly carry: Carry;
  readonly changed: () => void;
}

const failed = 'We had some trouble connecting. Try again?';

/**
 * A person submits the modal they have open, and the app's answer is carried out. Throws when there
 * is none, or an input that is not optional is empty: Slack does not send that.
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
  const delivery = await carryOften(() => submission(open, needs), needs.carry, twice);
  // The app may have changed the view before it answered, or the person may have closed it.
  const still = needs.world.views.get(open.view.id);
  const shown = delivery.acknowledged ? still && carryOut(delivery.body, still, needs) : failed;
  needs.changed();
  return { ...delivery, shown: shown ?? null };
}

function submission(open: OpenView, needs: ViewNeeds) {
  return interaction({
    type: 'view_submission',
    ...whoActs(needs.world, open.user),
    api_app_id: bot.appId,
    trigger_id: newTrigger(needs, open.user, open.view.id),
    view: shownView(open),
    response_urls: [],
  });
}

/** Does what the app answered. Gives what the person is shown when that cannot be done. */
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

/** Errors stand at inputs, by block id. */
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
  const { user, view } = open;
  if (!isObject(given) || given.type !== 'modal' || viewProblems(given).length > 0) return failed;
  const rootId = view.root_view_id;
  if (action === 'update') {
    const previousId = view.previous_view_id;
    keepView(world, given, { user, id: view.id, rootId, previousId }, now());
    return null;
  }
  if (stackOf(world, open).length >= mostViews) return failed;
  keepView(world, given, { user, id: newViewId(world), rootId, previousId: view.id }, now());
  return null;
}
