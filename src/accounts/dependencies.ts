import type { RaiseAlert } from '../alerts/raise-alert.ts';
import type { RecordDependencies } from '../engine/put-record.ts';
import type { MonotonicClock } from '../lib/clock.ts';
import type { Timing } from '../lib/timing.ts';
import type { UsersClient } from '../service/service-client.ts';
import type { FormDependencies } from '../slack/show-form.ts';
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
