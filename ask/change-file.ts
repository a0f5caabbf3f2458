import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { readStdin, type Terminal } from '../src/cli/terminal.ts';
import { cleanLine } from '../src/core/lib/clean-line.ts';
import { characterCount, clipLines, lineCount } from '../src/core/lib/clip.ts';
import { fileTrouble } from '../src/core/lib/file-trouble.ts';
import { type ApprovalBody, CHANGE_MAX, changeFault } from './contract/approval-body.ts';

/** The parts of a request that say exactly what is approved. */
export type Change = Pick<ApprovalBody, 'change' | 'cutFrom'>;

/**
 * The text to approve: the whole file or, with `cut`, as many of its lines as possible. Ends the command if the file
 * cannot be read, is empty, is too long, or is not text, which would not be shown as it is.
 */
export async function changeIn(
  { change: file, cut }: { readonly change?: string; readonly cut?: true },
  terminal: Terminal,
  command: Command,
): Promise<Change> {
  if (file === undefined) return {};
  const bytes = file === '-' ? await readStdin(terminal) : fileIn(file, command);
  const text = textIn(bytes) ?? command.error(`error: ${NOT_TEXT}`);
  if (text.trim() === '') return command.error(`error: ${NO_TEXT}`);
  const fault = changeFault(text);
  if (fault === undefined) return { change: text };
  if (!cut)
    return command.error(`error: --change ${fault}. Add --cut to ask about its first lines.`);
  const change = clipLines(text, CHANGE_MAX);
  if (change.trim() === '') return command.error(`error: ${noLines(text)}`);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { change, cutFrom: { lines: lineCount(text), sha256 } };
}

/** For programs, about a cut change. */
export function cutOf({ change = '', cutFrom }: Change) {
  return cutFrom === undefined ? {} : { cutFrom: { shown: lineCount(change), ...cutFrom } };
}

/** For people, about a cut change; undefined: it was not cut. */
export function cutText({ change = '', cutFrom }: Change): string | undefined {
  if (cutFrom === undefined) return undefined;
  const [shown, lines] = [lineCount(change), cutFrom.lines].map((it) => it.toLocaleString('en'));
  return `Lines sent: ${shown} of ${lines}. SHA-256 of the whole file: ${cutFrom.sha256}`;
}

function noLines(text: string): string {
  const [first = ''] = text.split(/(?<=\n)/, 1);
  const count = characterCount(first).toLocaleString('en');
  return `The first line of --change has ${count} characters; ${CHANGE_MAX.toLocaleString('en')} are possible, and --cut cuts at the end of a line. Give a description of what is in it.`;
}

function fileIn(file: string, command: Command): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    return command.error(`error: --change ${cleanLine(file)} ${fileTrouble(error)}.`);
  }
}

const NO_TEXT =
  'What --change names is empty, so nobody was asked. If there is nothing to show, leave --change out.';
const NOT_TEXT =
  'What --change names is not text in UTF-8 or in UTF-16 with its mark, so nobody was asked. Convert it, or give a description of what is in it.';

function textIn(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder(encodingOf(bytes), { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

/** UTF-16 starts with a byte order mark. */
function encodingOf([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}
