import type { ModalView } from '@slack/types';
import { StoreError } from '../../store/store.ts';
import type { AccountNamed } from '../change/account-named.ts';
import { type RecordNeeds, recordChange } from '../change/record-change.ts';
import { type Browse, writeBrowse } from './browse.ts';
import { troubleView } from './notice-view.ts';
import { GONE, MAYBE_RECORDED, NOT_RECORDED } from './sentences.ts';

/** A press on the card of an account. */
export interface CardPress {
  readonly user: string;
  readonly modal: { readonly id: string; readonly hash: string };
  readonly browse: Browse;
  readonly account: AccountNamed | undefined;
}

export interface Pressed {
  /** Why it is not recorded; otherwise the record itself shows what comes of it. */
  readonly view?: ModalView;
  carryOn(): void;
}

/** Records that an account is to be deactivated or active again, before Slack hears of it; once for each card. */
export async function pressActive(
  needs: RecordNeeds,
  kind: 'deactivate' | 'activate',
  { user: by, modal, browse, account }: CardPress,
): Promise<Pressed> {
  if (account === undefined) return { view: troubleView(GONE, browse, BACK), carryOn() {} };
  const wish = { kind, account };
  const asked = { by, wish, browse: writeBrowse(browse), modal: modal.id, isShown: false };
  try {
    const { carryOn } = await recordChange(needs, asked, `${kind}\0${modal.id}\0${modal.hash}`);
    return { carryOn };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const text = error.code === 'unknown' ? MAYBE_RECORDED : NOT_RECORDED;
    return { view: troubleView(text, browse, BACK), carryOn() {} };
  }
}

const BACK = 'Back to the list';
