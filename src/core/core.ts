/**
 * Everything that knows no feature, passed to features as one value made in `app/`, so that the layers in between need
 * not list what those below them use.
 */

import type { Logger } from 'pino';
import type { AlertNow } from './alerts/alert-now.ts';
import type { RaiseAlert } from './alerts/raise-alert.ts';
import type { Config } from './config/config.ts';
import type { RecordRunner } from './engine/reconciler.ts';
import type { Callbacks } from './http/callbacks.ts';
import type { Metrics } from './http/metrics.ts';
import type { Callers } from './identity-tokens/callers.ts';
import type { MonotonicClock } from './lib/clock.ts';
import type { SecretBox } from './lib/secret-box.ts';
import type { System } from './lib/system.ts';
import type { Timing } from './lib/timing.ts';
import type { Directory } from './people/directory.ts';
import type { Workspace } from './people/membership.ts';
import type { PostingQueue } from './posts/posting-queue.ts';
import type { ServiceClient } from './service/service-client.ts';
import type { HomeTab } from './slack/home-tab.ts';
import type { SlackLinks } from './slack/links.ts';
import type { Lookup } from './slack/lookup.ts';
import type { Modals } from './slack/modals.ts';
import type { Names } from './slack/names.ts';
import type { Outbox } from './slack/outbox.ts';
import type { Permalink } from './slack/permalink.ts';
import type { Replies } from './slack/replies.ts';
import type { ReadThread } from './slack/thread.ts';
import type { Store } from './store/store.ts';

/** All that features work with; tests create the parts they use (`coreWith`). */
export interface Core extends System {
  readonly config: Config;
  readonly logger: Logger;
  readonly timing: Timing;
  readonly store: Store;
  /** Starts work on records in this process. */
  readonly reconciler: RecordRunner;
  readonly service: ServiceClient;
  readonly box: SecretBox;
  readonly metrics: Metrics;
  readonly raise: RaiseAlert;
  readonly alertNow: AlertNow;
  readonly directory: Directory;
  readonly lookup: Lookup;
  /** The clock by which `lookup` and `directory` measure ages. */
  readonly ages: MonotonicClock;
  readonly workspace: Workspace;
  readonly replies: Replies;
  readonly modals: Modals;
  readonly homeTab: HomeTab;
  readonly outbox: Outbox;
  readonly queue: PostingQueue;
  readonly callbacks: Callbacks;
  readonly callers: Callers;
  readonly permalink: Permalink;
  readonly readThread: ReadThread;
  readonly links: SlackLinks;
  /** Reads at once what automations report of projects. Never rejects with StoreError. */
  readonly refreshCatalogue: () => Promise<void>;
  readonly names: Names;
  /** Short enough to read aloud. */
  readonly newReference: () => string;
}
