import type { Folded } from '../../reconcile/flow.ts';
import type { NewAuditEntry } from '../../store/store.ts';
import { type AccountChange, type Outcome, type Wish, wantedOf } from './account-change.ts';

/** Ends it with what is known. */
export function over(change: AccountChange, outcome: Outcome): Folded<AccountChange> {
  const { doubt, ...rest } = change;
  const isSettled = SETTLED.has(outcome.code) || doubt === undefined;
  const data: AccountChange = {
    ...rest,
    ...(!isSettled && { doubt }),
    phase: { name: 'over' },
    outcome,
  };
  return { data, audit: [outcomeEntry(change, outcome)] };
}

/** After these nobody need wonder any more what became of an earlier sending. */
const SETTLED: ReadonlySet<Outcome['code']> = new Set<Outcome['code']>([
  'done',
  'already',
  'not-done',
]);

/** An entry of the audit log: ids and names of attributes, never their values. */
export function entryOf(
  { by, wish }: Pick<AccountChange, 'by' | 'wish'>,
  action: string,
  more: NewAuditEntry['facts'] = {},
): NewAuditEntry {
  return { action, record: null, actor: by, facts: { ...factsOf(wish), ...more } };
}

function factsOf(wish: Wish): NewAuditEntry['facts'] {
  const what = { what: wish.kind };
  if (wish.kind === 'create') {
    const { kind, id } = wish.foreseen;
    return { ...what, foreseen: kind, account: id, attributes: namesOf(wish) };
  }
  const { id } = wish.account;
  if (wish.kind === 'edit') return { ...what, account: id, attributes: namesOf(wish) };
  return { ...what, account: id };
}

function namesOf(wish: Wish): string {
  const { active, ...rest } = wantedOf(wish);
  return Object.keys(rest).join(', ');
}

function outcomeEntry(change: AccountChange, outcome: Outcome): NewAuditEntry {
  if (outcome.code === 'not-allowed') {
    return entryOf(change, 'people.refused', { refusal: outcome.refusal });
  }
  if (outcome.code !== 'done') return entryOf(change, 'people.outcome', { outcome: outcome.code });
  const { how, account, found = false } = outcome;
  const facts = { outcome: how, found, ...(account !== null && { account: account.id }) };
  return entryOf(change, 'people.outcome', facts);
}
