import type { Cluster, Redis } from 'ioredis';
import type { StoreLogger } from '../store.ts';
import type { Script } from './load-scripts.ts';

/** The way to one server, to the one that Sentinel names, or to the nodes of a Cluster. */
export interface Link {
  /** What commands with keys are sent with. */
  readonly commands: Redis | Cluster;
  /** Begins to connect; from then on connections are made again for ever. */
  connect(): void;
  /** True when each server that takes writes can be asked. */
  isReady(): boolean;
  /** All servers that take writes, connected or not. */
  nodes(): readonly Redis[];
  /** The server that holds a key; undefined when nothing can be sent to it now. */
  nodeOf(key: string): Redis | undefined;
  /** Calls with each server that can be asked anew. */
  onReady(listener: (node: Redis) => void): void;
  /** Calls with why something failed, for as long as nothing is ready. */
  onError(listener: (error: Error) => void): void;
  close(): Promise<void>;
}

export interface LinkNeeds {
  readonly scripts: readonly Script[];
  readonly logger: StoreLogger;
  readonly connectTimeoutMs: number;
}
