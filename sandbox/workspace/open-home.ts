import { shownView } from './act-payload.ts';
import type { Events } from './events.ts';
import type { Manifest } from './manifest.ts';
import { homeOf } from './open-views.ts';
import { directConversation, type World } from './world.ts';

/** A person opens one of the app's tabs. Throws when it has no such tab. */
export function openHome(
  user: string,
  tab: 'home' | 'messages',
  {
    world,
    manifest,
    tell,
  }: {
    readonly world: World;
    readonly manifest: Manifest;
    readonly tell: Events['tell'];
  },
): void {
  if (tab === 'home' && !manifest.homeTab) throw new Error('The app has no home tab.');
  const open = homeOf(world, user);
  tell({
    type: 'app_home_opened',
    user,
    channel: directConversation(world, user).id,
    tab,
    ...(tab === 'home' && open && { view: shownView(open) }),
  });
}
