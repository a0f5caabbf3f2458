import { StoreError } from '../../store/store.ts';
import type { AccountNamed } from '../change/account-named.ts';
import { type RecordNeeds, recordChange } from '../change/record-change.ts';
import { BEGINNING, writeBrowse } from '../manage/browse.ts';
import { GONE, MAYBE_RECORDED, NOT_RECORDED } from '../manage/sentences.ts';
import { deactivating } from './leaver-news.ts';

export interface LeaverPress {
  readonly user: string;
  readonly account: AccountNamed | undefined;
  /** Unique to this press. */
  readonly press: string;
}

/** What the person reads; `carryOn` begins at once, after the acknowledgement. */
export interface LeaverAnswer {
  readonly text: string;
  readonly isRecorded: boolean;
  carryOn(): void;
}

/** Records the deactivation before Slack hears of it. Who may is checked before it is sent. */
export async function deactivateLeaver(
  needs: RecordNeeds,
  { user: by, account, press }: LeaverPress,
): Promise<LeaverAnswer> {
  if (account === undefined) return not(GONE);
  const wish = { kind: 'deactivate', account } as const;
  const asked = { by, wish, browse: writeBrowse(BEGINNING), isShown: false };
  try {
    const { carryOn } = await recordChange(needs, asked, `leaver\0${press}`);
    return { text: deactivating(account), isRecorded: true, carryOn };
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return not(error.code === 'unknown' ? MAYBE_RECORDED : NOT_RECORDED);
  }
}

function not(text: string): LeaverAnswer {
  return { text, isRecorded: false, carryOn() {} };
}
