import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A place where no token may be. */
export interface Place {
  readonly name: string;
  readonly text: string;
}

/** This much of a token is as good as the token. */
const TAIL = 12;

/** The places that contain a token in any form, each with the text around it. */
export function findTokens(places: readonly Place[], tokens: readonly string[]): string[] {
  const forms = tokens.flatMap(formsOf);
  return places.flatMap(({ name, text }) => {
    const found = forms.find((form) => text.includes(form));
    return found === undefined ? [] : [`${name}: ${around(text, found)}`];
  });
}

/** Raw, URL-encoded, escaped for JSON, in base64 at each of its three phases, and the token's end. */
export function formsOf(token: string): string[] {
  const raw = token.length >= 2 * TAIL ? [token, token.slice(-TAIL)] : [token];
  const written = raw.flatMap((text) => [
    text,
    encodeURIComponent(text),
    encodeURIComponent(text).replaceAll('%20', '+'),
    JSON.stringify(text).slice(1, -1),
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  ]);
  const bytes = written.map((text) => Buffer.from(text).toString('latin1'));
  return [...new Set([...written, ...bytes, ...base64Of(token)])];
}

function base64Of(token: string): string[] {
  return [0, 1, 2].flatMap((phase) => {
    const bytes = Buffer.concat([Buffer.alloc(phase), Buffer.from(token)]);
    // Only characters made entirely of the token's own bits.
    const from = Math.ceil((phase * 8) / 6);
    const to = Math.floor((bytes.length * 8) / 6);
    return (['base64', 'base64url'] as const).map((form) => bytes.toString(form).slice(from, to));
  });
}

function around(text: string, found: string): string {
  const at = text.indexOf(found);
  return text.slice(Math.max(0, at - 80), at + found.length + 40);
}

/** The bytes of all files in a folder, as Latin-1. */
export async function filesIn(folder: string): Promise<Place[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(
    files.map(async ({ parentPath, name }) => ({
      name: `store file ${name}`,
      text: (await readFile(join(parentPath, name))).toString('latin1'),
    })),
  );
}
