import { useEffect } from 'preact/hooks';
import type { PageChannel, PageState } from '../page-state.ts';
import { unreadIn } from './channels/unread.ts';

/** Names the window by what is new for the person, where they are, and who they are. */
export function useTitle({ me, channels }: PageState, { kind, name }: PageChannel): void {
  const forYou = channels.reduce((sum, each) => sum + unreadIn(each, me.id).forYou, 0);
  const where = kind === 'app' ? name : `#${name}`;
  const title = `${where} as ${me.name.split(' ')[0]} · Gatepost sandbox`;
  useEffect(() => {
    document.title = forYou > 0 ? `(${forYou}) ${title}` : title;
  }, [forYou, title]);
}
