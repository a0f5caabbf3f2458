import { shownView } from './act-payload.ts';
import { notSent } from './carry-often.ts';
import type { Closing, Delivery } from './doings.ts';
import { openModal } from './fill-view.ts';
import { interaction } from './notice.ts';
import { stackOf } from './open-views.ts';
import { bot } from './seed.ts';
import type { ViewNeeds } from './submit-view.ts';
import { whoActs } from './who.ts';
import type { OpenView } from './world.ts';

/** A person closes the modal they have open, or all that lie upon each other. The app is told when it asked to be. */
export async function closeView(
  { user, all = false }: Closing,
  needs: ViewNeeds,
): Promise<Delivery> {
  const open = openModal(user, needs.world);
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
