import type { ListPiece } from './store.ts';

/** A record's position on lists: by when it was added, then by id. */
export interface ListPosition {
  /** In the store's own unit of time. */
  readonly at: number;
  readonly id: string;
}

const CURSOR = /^(\d{1,16})_([\w-]{1,32})$/;

export function writeCursor({ at, id }: ListPosition): string {
  return `${at}_${id}`;
}

/** undefined for a text not written by `writeCursor`: cursors come back from outside. */
export function readCursor(text: string | undefined): ListPosition | undefined {
  const [, at, id] = CURSOR.exec(text ?? '') ?? [];
  return at === undefined || id === undefined ? undefined : { at: Number(at), id };
}

/** The first `limit` positions after `after` in order, and the cursor to continue if there are more. */
export function pieceOf<Position extends ListPosition>(
  found: readonly Position[],
  {
    after,
    limit,
    newestFirst = false,
  }: Omit<ListPiece, 'after'> & { readonly after: ListPosition | undefined },
): { readonly piece: readonly Position[]; readonly next: string | null } {
  const compare = newestFirst ? (a: ListPosition, b: ListPosition) => inOrder(b, a) : inOrder;
  const behind = found
    .filter((position) => after === undefined || compare(position, after) > 0)
    .toSorted(compare);
  const piece = behind.slice(0, limit);
  const last = piece.at(-1);
  const next = last !== undefined && behind.length > limit ? writeCursor(last) : null;
  return { piece, next };
}

function inOrder(a: ListPosition, b: ListPosition): number {
  return a.at - b.at || (a.id < b.id ? -1 : Number(a.id > b.id));
}
