import type { Part } from '../posts/part.ts';
import type { Task } from '../service/task.ts';

export const SNAPSHOT_KIND = 'snapshot';

/** A snapshot that is shown in a channel with a button to move it, as the store keeps it. */
export interface SnapshotPost {
  readonly v: 1;
  readonly source: string;
  readonly item: Pick<Task, 'id' | 'key' | 'title' | 'updatedAt'>;
  /** With its sub-items. */
  readonly count: number;
  readonly createdAt: number;
  readonly part: Part;
}

export function encodeSnapshotPost(post: SnapshotPost): string {
  return JSON.stringify(post);
}

export function decodeSnapshotPost(text: string): SnapshotPost {
  // as: written by `encodeSnapshotPost` alone; a later form has another `v` and is migrated here
  const post = JSON.parse(text) as SnapshotPost;
  if (post.v !== 1) throw new Error('a snapshot is kept in a form that is not known');
  return post;
}
