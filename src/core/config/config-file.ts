import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  parseDocument,
  visit,
  type YAMLError,
} from 'yaml';
import type * as z from 'zod';
import type { Note, Path } from './also.ts';
import { REQUIRED } from './values.ts';

export interface FileProblem {
  /** Line and column, from 1. */
  readonly name: `gatepost.yaml:${number}:${number}`;
  /** A sentence without the value. */
  readonly message: string;
}

const COMMENT = 'is required: a # begins a comment, so there is no value. Put the id there';

/** The text of gatepost.yaml, and the problems found so far: each path of an issue leads to its line. */
export class ConfigFile {
  /** The parsed value, with undefined for null; undefined if it is not valid YAML. */
  readonly value: unknown;
  readonly #text: string;
  readonly #document: Document;
  readonly #lines = new LineCounter();
  readonly #problems: { readonly offset: number; readonly message: string }[] = [];

  constructor(text: string) {
    this.#text = text;
    this.#document = parseDocument(text, {
      lineCounter: this.#lines,
      stringKeys: true,
      logLevel: 'error',
      prettyErrors: false,
    });
    const errors = [...this.#document.errors, ...this.#document.warnings];
    for (const error of this.#firstOfLines(errors)) this.#noteAt(error.pos[0], sentenceFor(error));
    const anchors = new Set<string>();
    let isResolved = true;
    visit(this.#document, {
      Value: (_, { anchor }) => {
        if (anchor !== undefined) anchors.add(anchor);
      },
      Alias: (_, { source, range }) => {
        if (anchors.has(source)) return;
        isResolved = false;
        this.#noteAt(range?.[0] ?? 0, 'an alias (*name) has no anchor (&name) before it');
      },
      // It would be left out of what is read.
      Pair: (_, { key }) => {
        if (isScalar(key) && key.value === '__proto__')
          this.#noteAt(key.range?.[0] ?? 0, 'this key is not possible: choose another name');
      },
    });
    const isWhole = isResolved && errors.every(({ code }) => code === 'DUPLICATE_KEY');
    this.value = isWhole ? this.#plain() : undefined;
  }

  /** An error of syntax can be followed by one for each character after it; keys that appear twice are all told. */
  #firstOfLines(errors: readonly YAMLError[]): Iterable<YAMLError> {
    const placeOf = (error: YAMLError) =>
      error.code === 'DUPLICATE_KEY' ? error : this.#lines.linePos(error.pos[0]).line;
    return new Map(errors.toReversed().map((error) => [placeOf(error), error])).values();
  }

  /** Whether it is valid YAML. */
  get isReadable(): boolean {
    return this.value !== undefined;
  }

  /** Adds a problem at a path, or at its nearest ancestor that exists. */
  readonly note: Note = (path, message) => {
    this.#noteAt(this.#offsetOf(path), `${showPath(path)} ${message}`);
  };

  /** Whether YAML reads another text than what is written: 1.10 is the number 1.1. */
  readonly isAltered = (path: Path): boolean => {
    const { node } = this.#find(path);
    if (!isScalar(node) || (node.value ?? null) === null) return false;
    return typeof node.value !== 'string' && node.source !== String(node.value);
  };

  /** In the order of the file, each with line and column. */
  get problems(): FileProblem[] {
    const inOrder = [...this.#problems].sort((a, b) => a.offset - b.offset);
    return inOrder.map(({ offset, message }) => {
      const { line, col } = this.#lines.linePos(offset);
      return { name: `gatepost.yaml:${line}:${col}`, message };
    });
  }

  /**
   * Parses the whole file; undefined, with its problems added, if it is invalid. `misplaced`: the problem with an unknown
   * key that belongs elsewhere, given with the path of what it is in; undefined: it does not.
   */
  read<Schema extends z.ZodType>(
    schema: Schema,
    misplaced: (key: string, path: Path) => string | undefined,
  ): z.output<Schema> | undefined {
    if (!this.isReadable) return undefined;
    const parsed = schema.safeParse(this.value);
    for (const issue of parsed.error?.issues ?? []) {
      const path = issue.path as Path; // as: YAML keys are never symbols
      if (issue.code === 'unrecognized_keys') {
        const messages = issue.message.split('\n');
        for (const [at, key] of issue.keys.entries())
          this.note([...path, key], misplaced(key, path) ?? messages[at] ?? '');
      } else {
        const isHidden = issue.message === REQUIRED && this.#isComment(path);
        this.note(path, isHidden ? COMMENT : issue.message);
      }
    }
    return parsed.data;
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
      this.#noteAt(0, 'the aliases (*name) lead to themselves, or there are too many');
      return undefined;
    }
  }

  #offsetOf(path: Path): number {
    return this.#find(path).offset;
  }

  /** What is at a path, and the place of that or of its nearest ancestor that exists. */
  #find(path: Path): { readonly node: unknown; readonly offset: number } {
    let node: unknown = this.#document.contents;
    let offset = 0;
    for (const step of path) {
      if (isAlias(node)) node = node.resolve(this.#document);
      const pair = isMap(node)
        ? node.items.find(({ key }) => isScalar(key) && key.value === step)
        : undefined;
      const next = isSeq(node) ? node.items[Number(step)] : pair?.value;
      const mark = pair?.key ?? next;
      if (!isNode(mark) || !mark.range) return { node: undefined, offset };
      offset = mark.range[0];
      node = next;
    }
    return { node: isAlias(node) ? node.resolve(this.#document) : node, offset };
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
