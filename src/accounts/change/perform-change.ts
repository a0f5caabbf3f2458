import { executeReport, type ReportDependencies } from '../../operations/report.ts';
import { type AuthorizationDependencies, authorize } from '../../people/permission.ts';
import { STEP_MS } from '../../reconcile/flow.ts';
import { settled } from '../../reconcile/settled.ts';
import type { UserOperation } from '../../service/patch-user.ts';
import type { UsersClient } from '../../service/service-client.ts';
import type { UserAttributes } from '../../service/user-attributes.ts';
import { foreseeProvisioning } from '../provisioning.ts';
import { type AccountChange, type Wish, wantedOf } from './account-change.ts';
import type { ChangeStep, ChangeStepResult } from './change-step.ts';
import { type ProtectionNeeds, protectionOf } from './protection.ts';
import { readAccount } from './read-account.ts';
import { resultMessage, resultView } from './result-view.ts';

export interface PerformChangeNeeds
  extends Omit<AuthorizationDependencies, 'who'>,
    ReportDependencies,
    Omit<ProtectionNeeds, 'lookup' | 'store'> {
  readonly lookup: AuthorizationDependencies['lookup'] & ProtectionNeeds['lookup'];
  readonly store: ReportDependencies['store'] & ProtectionNeeds['store'];
  /** null: there is no token for the accounts. */
  readonly users: UsersClient | null;
}

/** Makes the one external call of a step. What fails elsewhere is a result; only our own mistakes throw. */
export async function performChange(
  needs: PerformChangeNeeds,
  id: string,
  change: AccountChange,
  step: ChangeStep,
): Promise<ChangeStepResult> {
  const { by, wish } = change;
  switch (step.kind) {
    case 'check':
      return authorize(
        { ...needs, who: { ...needs.administrators, channel: false } },
        { user: by, channel: '' },
      );
    case 'guard':
      if (wish.kind === 'create') throw new Error('what is not there is not protected');
      return protectionOf(needs, wish.account, { by, change: id });
    case 'look':
      return needs.users === null ? NO_TOKEN : settled(look(needs.users, wish));
    case 'send':
      return needs.users === null ? NO_TOKEN : settled(send(needs.users, wish));
    default:
      return executeReport(needs, id, change, step, {
        view: (face) => resultView(id, change, face),
        message: (face) => resultMessage(id, change, face),
        announcement() {
          throw new Error('a change of an account is not announced');
        },
      });
  }
}

const NO_TOKEN = { kind: 'no-token' } as const;

async function look(users: UsersClient, wish: Wish): Promise<ChangeStepResult> {
  const limits = { deadlineMs: STEP_MS, signal: AbortSignal.timeout(STEP_MS) };
  if (wish.kind === 'create') {
    return {
      kind: 'foreseen',
      provisioning: await foreseeProvisioning(users, wish.user, limits),
    };
  }
  return { kind: 'seen', account: (await readAccount(users, wish.account, limits)) ?? null };
}

async function send(users: UsersClient, wish: Wish): Promise<ChangeStepResult> {
  const limits = { deadlineMs: STEP_MS };
  const answer =
    wish.kind === 'create'
      ? await users.create(wish.user, limits)
      : await users.patch(wish.account.id, operationsFor(wantedOf(wish)), limits);
  return { kind: 'answered', answer };
}

/** One attribute by its path, several in one object (Interface 4.5, PATCH rule 1). */
function operationsFor(values: Partial<UserAttributes>): readonly UserOperation[] {
  const [first, ...others] = Object.entries(values);
  if (first === undefined || others.length > 0) return [{ op: 'replace', values }];
  const [attribute, value] = first;
  // as: an entry of the attributes is one of them with its value
  return [{ op: 'replace', attribute, value } as UserOperation];
}
