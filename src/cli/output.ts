/** Control characters that JSON lets through, and marks that turn a text's direction: a terminal acts on them. */
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** The value as JSON that is safe to show in a terminal. Ends with a line break. */
export function safeJson(value: unknown): string {
  const json = JSON.stringify(value, null, 2);
  return `${json.replace(UNSAFE, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}

const BAR = 24;

/** How far it has come. `total` null: nobody knows. */
export function progressText(done: number, total: number | null, what: string): string {
  if (total === null || total < done) return `${done} ${what}`;
  const filled = total === 0 ? BAR : Math.round((BAR * done) / total);
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}] ${done} of ${total} ${what}`;
}
