import type { View } from '../wire.ts';
import { offeredBy } from './check-entered.ts';
import { completeBlocks, withTextDefaults } from './complete-blocks.ts';
import { elementsOf, keyOf } from './elements.ts';
import { enteredState } from './input-state.ts';
import { inputsAfter, noInputs } from './inputs.ts';
import { bot, team } from './seed.ts';
import type { Inputs, OpenView, World } from './world.ts';

/** The modal the person sees: the last one opened or pushed. */
export function modalOf(world: World, user: string): OpenView | undefined {
  const all = [...world.views.values()];
  return all.findLast((open) => open.user === user && open.view.type === 'modal');
}

/** The view with this `external_id`; an empty one matches none. */
export function findView(world: World, externalId: string): OpenView | undefined {
  if (externalId === '') return undefined;
  return [...world.views.values()].find(({ view }) => view.external_id === externalId);
}

/** The person's published Home tab. */
export function homeOf(world: World, user: string): OpenView | undefined {
  return world.views.get(homeId(user));
}

export function homeId(user: string): string {
  return `VHOME${user}`;
}

/** How many views can be stacked. */
export const mostViews = 3;

/** The views of a stack, lowest first. */
export function stackOf(world: World, { view }: OpenView): OpenView[] {
  return [...world.views.values()].filter((open) => open.view.root_view_id === view.root_view_id);
}

export interface Placement {
  readonly user: string;
  readonly id: string;
  readonly rootId: string;
  readonly previousId: string | null;
  readonly channel?: string | undefined;
}

/** Keeps a validated view. Entered values stay with elements of the same ids. */
export function keepView(
  world: World,
  given: Readonly<Record<string, unknown>>,
  { user, id, rootId, previousId, channel }: Placement,
  now: number,
): View {
  world.counter += 1;
  const view: View = {
    callback_id: '',
    private_metadata: '',
    external_id: '',
    ...given,
    // The type and the blocks were validated when the view was read.
    type: given.type as View['type'],
    blocks: completeBlocks(given.blocks as View['blocks'], world),
    id,
    team_id: team.id,
    app_installed_team_id: team.id,
    hash: `${Math.floor(now / 1000)}.${world.counter.toString(36)}`,
    root_view_id: rootId,
    previous_view_id: previousId,
    app_id: bot.appId,
    bot_id: bot.botId,
    title: withTextDefaults(given.title ?? null),
    submit: withTextDefaults(given.submit ?? null),
    close: withTextDefaults(given.close ?? null),
    clear_on_close: given.clear_on_close === true,
    notify_on_close: given.notify_on_close === true,
    state: { values: {} },
  };
  const before = world.views.get(id);
  const inputs = before ? inputsAfter(before.inputs, before.view.blocks, view.blocks) : noInputs();
  chooseCurrent(view.blocks, inputs, { user, channel, world });
  world.views.set(id, { user, view, inputs, channel });
  return view;
}

/** Conversation selects that ask for it begin with the conversation the person was looking at. */
function chooseCurrent(
  blocks: View['blocks'],
  { entered }: Inputs,
  { user, channel, world }: Pick<Placement, 'user' | 'channel'> & { readonly world: World },
): void {
  if (channel === undefined) return;
  for (const placed of elementsOf(blocks)) {
    const { element } = placed;
    const isAsked = element.default_to_current_conversation === true;
    if (!isAsked || entered.has(keyOf(placed)) || !offeredBy(element, user, world)(channel))
      continue;
    entered.set(keyOf(placed), enteredState(element, channel, undefined));
  }
}

/** An id for a new view. */
export function newViewId(world: World): string {
  world.counter += 1;
  return `V0${world.counter.toString(36).toUpperCase()}`;
}
