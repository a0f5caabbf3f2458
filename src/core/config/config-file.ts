import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  type YAMLError,
} from 'yaml';
import type * as z from 'zod';
import { REQUIRED } from './values.ts';

/** Keys and indexes from the root. */
export type Path = readonly (string | number)[];

export interface FileProblem {
  /** Line and column, from 1. */
  readonly name: `gatepost.yaml:${number}:${number}`;
  /** A sentence without the value. */
  readonly message: string;
}

const COMMENT = 'is required: a # begins a comment, so there is no value. Put the id there';

/** The text of gatepost.yaml, and the problems found so far. */
export class ConfigFile {
  /** The parsed value, with undefined for null; undefined if it is not valid YAML. */
  readonly value: unknown;
  readonly isReadable: boolean;
  readonly #text: string;
  readonly #misplaced: (key: string) => string | undefined;
  readonly #document: Document;
  readonly #lines = new LineCounter();
  readonly #problems: { readonly offset: number; readonly message: string }[] = [];

  /** @param misplaced the problem with an unknown key that belongs elsewhere; undefined: it does not. */
  constructor(text: string, misplaced: (key: string) => string | undefined = () => undefined) {
    this.#text = text;
    this.#misplaced = misplaced;
    this.#document = parseDocument(text, {
      lineCounter: this.#lines,
      stringKeys: true,
      logLevel: 'error',
    });
    const errors = [...this.#document.errors, ...this.#document.warnings];
    for (const error of errors) this.#noteAt(error.pos[0], sentenceFor(error));
    const isWhole = errors.every(({ code }) => code === 'DUPLICATE_KEY');
    this.value = isWhole ? this.#plain() : undefined;
    this.isReadable = isWhole && this.value !== undefined;
  }

  /** Adds a problem at a path, or at its nearest ancestor that exists. */
  readonly note = (path: Path, message: string): void => {
    this.#noteAt(this.#offsetOf(path), `${showPath(path)} ${message}`);
  };

  /** In the order of the file, each with line and column. */
  get problems(): FileProblem[] {
    const inOrder = [...this.#problems].sort((a, b) => a.offset - b.offset);
    return inOrder.map(({ offset, message }) => {
      const { line, col } = this.#lines.linePos(offset);
      return { name: `gatepost.yaml:${line}:${col}`, message };
    });
  }

  /** Parses the value at a path; undefined, with a problem added, if it is invalid. */
  read<Schema extends z.ZodType>(schema: Schema, path: Path): z.output<Schema> | undefined {
    return this.check(schema, valueAt(this.value, path), path);
  }

  /** The same for a value that belongs to the path, such as its last key. */
  check<Schema extends z.ZodType>(
    schema: Schema,
    value: unknown,
    path: Path,
  ): z.output<Schema> | undefined {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) {
      // as: YAML keys are never symbols
      const place = [...path, ...(issue.path as Path)];
      const unknown = issue.code === 'unrecognized_keys' ? issue.keys : [];
      const messages = issue.message.split('\n');
      const isHidden = issue.message === REQUIRED && this.#isComment(place);
      if (unknown.length === 0) this.note(place, isHidden ? COMMENT : issue.message);
      for (const [at, key] of unknown.entries()) {
        this.note([...place, key], this.#misplaced(key) ?? messages[at] ?? '');
      }
    }
    return undefined;
  }

  /** Whether its value starts with #, so that YAML does not see it. */
  #isComment(path: Path): boolean {
    return /^[^\n#]*:[ \t]+#\S/.test(this.#text.slice(this.#offsetOf(path)));
  }

  #noteAt(offset: number, message: string): void {
    this.#problems.push({ offset, message });
  }

  #plain(): unknown {
    try {
      return withoutNulls(this.#document.toJS() ?? {});
    } catch {
      this.#noteAt(0, 'an alias (*name) has no anchor (&name) before it, or there are too many');
      return undefined;
    }
  }

  #offsetOf(path: Path): number {
    let node: unknown = this.#document.contents;
    let offset = 0;
    for (const step of path) {
      if (isAlias(node)) node = node.resolve(this.#document);
      const next = isSeq(node) ? { value: node.items[Number(step)] } : pairOf(node, step);
      const mark = next && 'key' in next ? next.key : next?.value;
      if (!next || !hasRange(mark)) break;
      offset = mark.range[0];
      node = next.value;
    }
    return offset;
  }
}

/** A key without a value counts as missing. */
function withoutNulls(value: unknown): unknown {
  if (value === null) return undefined;
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, withoutNulls(member)]),
  );
}

/** undefined if there is none. */
export function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (above, step) =>
      typeof above === 'object' && above !== null ? Reflect.get(above, step) : undefined,
    value,
  );
}

function pairOf(node: unknown, key: string | number): { key: unknown; value: unknown } | undefined {
  if (!isMap(node)) return undefined;
  return node.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

function hasRange(node: unknown): node is { range: [number, number, number] } {
  return typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range);
}

/** `sources[0].secret`, `routes["my route"]`. */
function showPath(path: Path): string {
  return path.map(showStep).join('').replace(/^\./, '') || 'the file';
}

/** A key that cannot be a name is not shown: with a missing quote, it may be a value. */
function showStep(step: string | number): string {
  if (typeof step === 'number') return `[${step}]`;
  if (/^[\w-]+$/.test(step)) return `.${step}`;
  return /^[\p{L}\p{N}_. -]+$/u.test(step) ? `["${step}"]` : '["…"]';
}

/** The YAML library's messages may quote the text. */
const SENTENCES: Partial<Record<YAMLError['code'], string>> = {
  BAD_SCALAR_START: 'a value starts with a character that is reserved in YAML: put it in quotes',
  DUPLICATE_KEY: 'this key appears twice',
  MISSING_CHAR: 'a quote or a bracket is not closed',
  MULTIPLE_DOCS: 'a second document starts here: the file can have only one',
  TAB_AS_INDENT: 'a tab is used for indentation: use spaces',
  TAG_RESOLVE_FAILED: 'a tag (!…) is used here: tags are not supported',
};

function sentenceFor({ code }: YAMLError): string {
  return (
    SENTENCES[code] ?? 'this is not valid YAML: check the indentation, colons, quotes and brackets'
  );
}
