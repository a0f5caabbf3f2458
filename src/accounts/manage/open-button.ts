import type { Button } from '@slack/types';
import { button } from '../../slack/blocks.ts';
import { type AccountNamed, writeAccount } from '../change/account-named.ts';
import { ACTIONS } from './actions.ts';

const VALUE_MAX = 2_000;

/** Leads to the card. undefined: no button can name such an account. */
export function openButton(account: AccountNamed, label = 'Open account'): Button | undefined {
  const value = writeAccount(account);
  return value.length > VALUE_MAX ? undefined : button(ACTIONS.open, label, value);
}
