import { recordOf } from './case.ts';
import type { ApprovalSeen, MessageSeen } from './evidence.ts';

/** Another request of the same automation and name, and its first message. */
export interface Newer {
  readonly name: string;
  readonly postedAt: number;
  /** It was asked for after the older one was stored, and not withdrawn before the older one was told. */
  readonly isSurelyNewer: boolean;
  /** Where its messages are. */
  readonly places: readonly Pick<MessageSeen, 'channel' | 'ts'>[];
}

/** How long after it was posted the older ones are told: the answer to the post may have been lost. */
const TOLD_MS = 30_000;

/** The requests that may replace an approval, once they are posted. @param messagesOf the messages of a request for a decision */
export function newerThan(
  approval: ApprovalSeen,
  all: readonly ApprovalSeen[],
  messagesOf: (approval: ApprovalSeen) => readonly MessageSeen[],
): Newer[] {
  const { supersedes, isCalledBack, intake } = approval;
  if (supersedes === undefined) return [];
  const storedFrom = intake[0]?.at ?? Number.POSITIVE_INFINITY;
  const storedBy = intake.find(({ record }) => record !== null)?.answeredAt ?? null;
  return all.flatMap((other) => {
    const isOther = other.supersedes !== supersedes || other.isCalledBack !== isCalledBack;
    if (isOther || other === approval) return [];
    const postedAt = Math.min(...messagesOf(other).map(({ versions }) => versions[0]?.at ?? 0));
    if (!Number.isFinite(postedAt)) return [];
    const [first] = other.intake;
    const last = other.intake.findLast(({ record }) => record !== null)?.record;
    const othersBy = other.intake.find(({ record }) => record === last)?.answeredAt;
    // It was certainly there before: not stored again under an id that its automation never read, after a store had
    // lost it (from a try without an answer, or a late copy of one).
    const read = other.intake.map(({ record }) => record);
    const isStoredAgain = messagesOf(other).some((each) => !read.includes(recordOf(each)));
    if (othersBy != null && othersBy < storedFrom && !isStoredAgain) return [];
    const isWithdrawn = other.withdrawals.some(({ at }) => at <= postedAt + TOLD_MS);
    const isLater = storedBy !== null && first !== undefined && first.at > storedBy;
    const isSurelyNewer = isLater && !isWithdrawn;
    const places = messagesOf(other).map(({ channel, ts }) => ({ channel, ts }));
    return [{ name: other.name, postedAt, isSurelyNewer, places }];
  });
}
