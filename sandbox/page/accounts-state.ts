import type { Service } from '../service/service-handle.ts';
import type { PageAccount } from './page-state.ts';

/** More would only make each change of the page slower. */
const SHOWN_ACCOUNTS = 50;

export function accountsState(service: Service): { count: number; shown: PageAccount[] } {
  const users = service.users();
  const shown = users.slice(0, SHOWN_ACCOUNTS).map((user) => ({
    id: user.id,
    name: user.displayName,
    words: [user.userName, user.active ? 'active' : 'deactivated', user.title, user.department]
      .filter((word) => word !== null && word !== '')
      .join(' · '),
  }));
  return { count: users.length, shown };
}
