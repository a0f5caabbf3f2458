import { openApproval, resolveApproval, timeOutApproval } from './approval-answers.ts';
import type { ApprovalState } from './approval-state.ts';
import type { Memory } from './memory.ts';
import type { Service } from './service-handle.ts';
import { newAccount, type ServiceUser } from './users/account.ts';

type Changings = Pick<
  Service,
  'createApproval' | 'decide' | 'timeOut' | 'approval' | 'approvals' | 'users' | 'setUser'
>;

/** The part of the handle that makes changes in the service itself, and reads it. */
export function changeService(needs: {
  readonly memory: () => Memory;
  readonly now: () => number;
  readonly randomToken: () => string;
  readonly randomUuid: () => string;
  readonly changed: () => void;
}): Changings {
  const { memory, changed } = needs;
  const isoNow = (): string => new Date(needs.now()).toISOString();

  const known = (token: string): ApprovalState => {
    const approval = memory().approvals.get(token);
    if (!approval) throw new Error('There is no approval with this token.');
    return approval;
  };
  /** False: nothing took effect. */
  const put = (before: ApprovalState, after: ApprovalState): boolean => {
    memory().approvals.set(after.token, after);
    changed();
    return before !== after;
  };

  return {
    createApproval: ({ prompt = 'Deploy to production?', token = needs.randomToken() } = {}) => {
      const { approvals } = memory();
      if (approvals.has(token)) throw new Error('This token is in use.');
      approvals.set(token, openApproval(`A${approvals.size + 1}`, token, prompt));
      changed();
      return { token };
    },
    decide: (token, action, userId) => {
      const before = known(token);
      return put(
        before,
        resolveApproval(before, {
          action,
          userId: userId ?? null,
          through: 'elsewhere',
          at: isoNow(),
        }),
      );
    },
    timeOut: (token) => {
      const before = known(token);
      return put(before, timeOutApproval(before, isoNow()));
    },
    approval: known,
    approvals: () => [...memory().approvals.values()],
    users: () => memory().users,
    setUser: (idOrUserName, patch) => {
      memory().users = withAccount(memory().users, idOrUserName, patch, needs.randomUuid);
      changed();
    },
  };
}

/** The accounts after changing one, which is named by id or userName; an unknown name adds one. */
function withAccount(
  users: readonly ServiceUser[],
  idOrUserName: string,
  patch: Partial<ServiceUser>,
  newId: () => string,
): ServiceUser[] {
  const isMeant = ({ id, userName }: ServiceUser) =>
    id === idOrUserName || userName === idOrUserName;
  if (!users.some(isMeant)) return [...users, { ...newAccount(newId(), idOrUserName), ...patch }];
  return users.map((user) => (isMeant(user) ? { ...user, ...patch } : user));
}
