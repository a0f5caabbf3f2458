import type * as z from 'zod';
import type { barView } from '../../../ask/contract/approval-details.ts';
import { iso } from '../../core/lib/iso-time.ts';
import { type Approval, isOpen } from '../approval.ts';
import type { Barred } from './bar.ts';
import { ALL_BARS, type BAR_MEMBERS } from './electorate.ts';

/** What is known of bars, for messages and programs. */

/** The last time that approvals counted again; undefined: they always did, or do not now. */
export function barEndedAt(approval: Approval): number | undefined {
  const ended = ALL_BARS.flatMap((bar) => bar.endedAt(approval) ?? []);
  return ended.length === 0 ? undefined : Math.max(...ended);
}

type View = z.infer<typeof barView>;

/** Its members of the details, in which it says so. */
export function barMembers(approval: Approval): Members {
  return seenIn(approval) as Members; // as: each has its member there
}

type Members = z.infer<z.ZodObject<typeof BAR_MEMBERS>>;

/** In details of a request; undefined: its approvals count, as far as they say. */
export function barIn(details: object): View | undefined {
  const seen: Readonly<Record<string, View | undefined>> = { ...details }; // as: `BAR_MEMBERS`
  return ALL_BARS.map(({ member }) => seen[member]).find((bar) => bar !== undefined);
}

/** All members, null where it is off. */
export function barFacts(approval: Approval): Readonly<Record<string, View | null>> {
  const off = ALL_BARS.map(({ member }) => [member, null] as const);
  return { ...Object.fromEntries(off), ...seenIn(approval) };
}

/** By member. */
function seenIn(approval: Approval): Readonly<Record<string, View>> {
  const on = isOpen(approval) ? ALL_BARS : [];
  const seen = on.map(({ member, known }) => [member, known(approval)] as const);
  return Object.fromEntries(seen.flatMap(([member, bar]) => (bar ? [[member, viewOf(bar)]] : [])));
}

function viewOf({ until, why }: Barred): View {
  return { until: iso(until), why };
}
