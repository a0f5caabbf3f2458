/** What a person presses in the message. `run`: what they saw; they decide on nothing else. */
export type BatchPress =
  /** Send once more everything that was certainly not created, and nothing else. */
  | { readonly kind: 'again'; readonly run: number }
  /** Send one line once more, although it may exist. */
  | { readonly kind: 'again-one'; readonly run: number; readonly line: number }
  | { readonly kind: 'page'; readonly page: number };

/** A button's value: the record, and what is pressed. */
export function writePress(record: string, press: BatchPress): string {
  switch (press.kind) {
    case 'again':
      return [record, press.kind, press.run].join(' ');
    case 'again-one':
      return [record, press.kind, press.run, press.line].join(' ');
    case 'page':
      return [record, press.kind, press.page].join(' ');
  }
}

/** undefined: it is none; values come back from outside. */
export function readPress(value: string): { record: string; press: BatchPress } | undefined {
  const [record = '', kind, ...rest] = value.split(' ');
  const [first, second] = rest.map(Number);
  if (!isCount(first)) return undefined;
  if (kind === 'page') return { record, press: { kind, page: first } };
  if (kind === 'again') return { record, press: { kind, run: first } };
  if (kind !== 'again-one' || !isCount(second)) return undefined;
  return { record, press: { kind, run: first, line: second } };
}

function isCount(value: number | undefined): value is number {
  return value !== undefined && Number.isSafeInteger(value) && value >= 0;
}
