/** Rows as text, in parts: they need not all be available at once. */
export interface RowWriter<Row> {
  rows(rows: readonly Row[]): string;
  /** What follows the last row. */
  end(): string;
}

/** Control characters that JSON allows, and marks that change the text's direction: terminals interpret them. */
const UNSAFE = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** The value as JSON that is safe to show in a terminal. Ends with a line break. */
export function safeJson(value: unknown): string {
  return `${safeText(value)}\n`;
}

function safeText(value: unknown): string {
  return JSON.stringify(value, null, 2).replace(
    UNSAFE,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * Writes in parts what `safeJson` would write of the value with all rows. `empty`: the value without rows, an empty
 * array or an object whose last member is one.
 */
export function createJson<Row>(
  empty: object,
  shown: (row: Row) => unknown = (row) => row,
): RowWriter<Row> {
  const text = safeJson(empty);
  const at = text.lastIndexOf('[]') + 1;
  const outer = Array.isArray(empty) ? '\n' : '\n  ';
  const inner = `${outer}  `;
  let before = text.slice(0, at);
  const after = text.slice(at);
  return {
    rows: (rows) =>
      rows
        .map((row) => {
          const part = `${before}${inner}${safeText(shown(row)).replaceAll('\n', inner)}`;
          before = ',';
          return part;
        })
        .join(''),
    end: () => (before === ',' ? `${outer}${after}` : text),
  };
}

/** A cell of CSV. Spreadsheets would take some texts for formulas. */
export function csvCell(text: string): string {
  const safe = /^[=+\-@\t]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const BAR = 24;

/** Progress. `total` null: not known. */
export function progressText(done: number, total: number | null, what: string): string {
  if (total === null || total < done) return `${done} ${what}`;
  const filled = total === 0 ? BAR : Math.round((BAR * done) / total);
  return `[${'#'.repeat(filled)}${'.'.repeat(BAR - filled)}] ${done} of ${total} ${what}`;
}
