import type { Core } from '../../core/core.ts';
import type { Timers } from '../../core/lib/timers.ts';
import { authorizePerson } from '../../core/people/permission.ts';
import type { UserOperation } from '../../core/service/patch-user.ts';
import type { AccountCalls } from '../../core/service/service-client.ts';
import type { CallLimits } from '../../core/service/transport.ts';
import type { UserAttributes } from '../../core/service/user-attributes.ts';
import { type Ask, type Asked, askOnce } from '../flow/ask.ts';
import type { Operation, Reporting } from '../flow/operation.ts';
import type { Authorization, Progress } from '../flow/rules.ts';
import { type AccountNamed, matchAccount } from './account.ts';
import { namedIn } from './administrator.ts';
import type { AccountsReading, Change, ChangeTypes } from './change.ts';
import { resultMessage, resultView } from './change-result.ts';
import { CHANGE_RULES } from './change-rules.ts';
import { wantedOf } from './compare-accounts.ts';
import { ownershipOf, protectionOf } from './protection.ts';
import { foreseeProvisioning } from './provisioning.ts';

/** Creating and changing accounts (Interface 4.5). */
export function changeOperation(core: Core): Operation<ChangeTypes> {
  const { users } = core.service;
  const report: Reporting<ChangeTypes> = {
    core,
    view: resultView,
    message: resultMessage,
  };
  return {
    rules: CHANGE_RULES,
    authorize: (progress, id) => mayChange(core, progress, id),
    ...(users === null ? NO_CALLS : accountCalls(users, core.timers)),
    report,
    keepMs: core.config.retention.doneMs,
  };
}

/** The account calls of an operation. */
export function accountCalls(users: AccountCalls, timers: Timers) {
  return {
    read({ wish: { change } }, { deadlineMs }) {
      return read(users, change, { deadlineMs, signal: timers.deadline(deadlineMs) });
    },
    send: ({ change }, limits) => send(users, change, limits),
  } satisfies Pick<Operation<ChangeTypes>, 'read' | 'send'>;
}

const NO_CALLS = { read: null, send: null };

async function read(
  users: AccountCalls,
  change: Change,
  limits: CallLimits,
): Promise<AccountsReading> {
  if (change.kind === 'create') {
    const provisioning = await foreseeProvisioning(users, change.user, limits);
    return { kind: 'foreseen', provisioning };
  }
  const match = await matchAccount(users, change.account, limits);
  if (match.kind === 'found') return { kind: 'account', account: match.user };
  return {
    kind: 'account',
    account: null,
    isPartial: match.kind === 'none' && match.isPartial === true,
  };
}

function send(
  users: AccountCalls,
  change: Change,
  limits: CallLimits,
): Promise<ChangeTypes['answer']> {
  switch (change.kind) {
    case 'create':
      return users.create(change.user, limits);
    case 'delete':
      return users.delete(change.account.id, limits);
    default:
      return users.patch(change.account.id, patchOf(wantedOf(change)), limits);
  }
}

/** One attribute by its path, or several as an object (Interface 4.5, PATCH rule 1). */
function patchOf(values: Partial<UserAttributes>): readonly UserOperation[] {
  const [first, ...others] = Object.entries(values);
  if (first === undefined || others.length > 0) return [{ op: 'replace', values }];
  const [attribute, value] = first;
  // as: an entry of the attributes is a valid pair
  return [{ op: 'replace', attribute, value } as UserOperation];
}

/** After this long the command has probably been killed: nothing is sent, or sent again. */
const TYPED_MS = 120_000;

/** Whether the person is an administrator who can change this account's access. */
async function mayChange(
  core: Core,
  { by, wish: { change, typedAt }, unconfirmed }: Progress<ChangeTypes>,
  id: string,
): Promise<Authorization<ChangeTypes>> {
  // On the command line, access to the store is controlled by the operating system.
  if (typedAt !== undefined) {
    const isFresh = core.store.now() <= typedAt + TYPED_MS;
    if (isFresh && core.service.users !== null) return { kind: 'allowed' };
    const code = unconfirmed === undefined ? 'cancelled' : 'unknown';
    return { kind: 'barred', outcome: { code } };
  }
  const signal = core.timers.deadline(core.timing.stepMs);
  const asker = { user: by, channel: '' };
  const permission = await authorizePerson(core, namedIn(core), asker);
  if (permission.kind !== 'allowed') return permission;
  const protection = await protectionFor(core, change, { by, change: id, signal });
  switch (protection.kind) {
    case 'free':
      return { kind: 'allowed' };
    case 'one-at-a-time':
      // Another administrator's account is being deactivated.
      return { kind: 'wait', waitMs: core.timing.retryMs[2] };
    case 'failed':
      return protection;
    default:
      return { kind: 'barred', outcome: { code: protection.kind } };
  }
}

async function protectionFor(
  core: Core,
  change: Change,
  wanted: Parameters<typeof protectionOf>[2],
): ReturnType<typeof protectionOf> {
  if (change.kind === 'deactivate') return protectionOf(core, change.account, wanted);
  const account = reactivatedBy(change);
  return account === null ? { kind: 'free' } : ownershipOf(core, account, wanted);
}

/** null: none. Creating may re-activate: the list may not have the account, or not say whether it is active. */
function reactivatedBy(change: Change): AccountNamed | null {
  if (change.kind === 'activate') return change.account;
  if (change.kind !== 'create') return null;
  const { userName, externalId = null } = change.user;
  return { id: change.foreseen.id ?? '', userName, externalId, name: userName };
}

/** Records a change of an account, durably and once. Only the person who asked is told. Throws StoreError. */
export function askForChange(
  core: Pick<Core, 'store' | 'reconciler'>,
  asked: Omit<Ask<ChangeTypes>, 'channel' | 'announce'>,
): Promise<Asked<ChangeTypes>> {
  return askOnce(core, CHANGE_RULES, { channel: '', announce: false, ...asked });
}
