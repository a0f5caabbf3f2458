/** The page's own state. */
export interface PageMemory {
  /** When the sandbox was started or reset. */
  readonly begunAt: number;
  /** `ts` of the last message that a person has read, by `readKey`. */
  readonly reads: Map<string, string>;
}

export function newPageMemory(begunAt: number): PageMemory {
  return { begunAt, reads: new Map() };
}

export function readKey(user: string, channel: string): string {
  return `${user} ${channel}`;
}
