import type { RaiseAlert } from '../../core/alerts/raise-alert.ts';
import type { RecordDependencies } from '../../core/engine/put-record.ts';
import type { MonotonicClock } from '../../core/lib/clock.ts';
import type { Timing } from '../../core/lib/timing.ts';
import type { UsersClient } from '../../core/service/service-client.ts';
import type { FormDependencies } from '../../core/slack/show-form.ts';
import type { ProtectionDependencies } from './protection.ts';

/** What everything around `/people` works with. */
export interface AccountsDependencies
  extends RecordDependencies,
    FormDependencies,
    ProtectionDependencies {
  /** null: there is no token for the accounts. */
  readonly users: UsersClient | null;
  readonly raise: RaiseAlert;
  /** Whether administrators are told when somebody is deactivated in Slack and has an account still. */
  readonly tellOfLeavers: boolean;
  readonly clock: MonotonicClock;
  readonly timing: Timing;
  readonly newId: () => string;
}
