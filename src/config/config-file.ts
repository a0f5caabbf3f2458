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
import type { ConfigProblem } from './environment.ts';
import type { Path } from './file-reader.ts';

/** The text of gatepost.yaml, and what is wrong with it so far. */
export class ConfigFile {
  /** Plain values; undefined when it cannot be read as YAML. */
  readonly value: unknown;
  readonly isReadable: boolean;
  readonly #document: Document;
  readonly #lines = new LineCounter();
  readonly #problems: { readonly offset: number; readonly message: string }[] = [];

  constructor(text: string) {
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

  /** Notes what is wrong at a path, or at what stands nearest above it. */
  readonly note = (path: Path, message: string): void => {
    this.#noteAt(this.#offsetOf(path), `${showPath(path)} ${message}`);
  };

  /** By line, each with the line and column it stands at. */
  get problems(): ConfigProblem[] {
    const inOrder = [...this.#problems].sort((a, b) => a.offset - b.offset);
    return inOrder.map(({ offset, message }) => {
      const { line, col } = this.#lines.linePos(offset);
      return { name: `gatepost.yaml:${line}:${col}`, message };
    });
  }

  #noteAt(offset: number, message: string): void {
    this.#problems.push({ offset, message });
  }

  #plain(): unknown {
    try {
      return this.#document.toJS() ?? {};
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

function pairOf(node: unknown, key: string | number): { key: unknown; value: unknown } | undefined {
  if (!isMap(node)) return undefined;
  return node.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

function hasRange(node: unknown): node is { range: [number, number, number] } {
  return typeof node === 'object' && node !== null && 'range' in node && Array.isArray(node.range);
}

/** `sources[0].secret`; a key of unusual letters as JSON writes it. */
function showPath(path: Path): string {
  const steps = path.map((step) => {
    if (typeof step === 'number') return `[${step}]`;
    return /^[\w-]+$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`;
  });
  return steps.join('').replace(/^\./, '') || 'the file';
}

/** The library's own words may quote what stands there. */
const SENTENCES: Partial<Record<YAMLError['code'], string>> = {
  BAD_SCALAR_START: 'a value begins with a character that YAML keeps for itself: put it in quotes',
  DUPLICATE_KEY: 'this key stands here a second time',
  MISSING_CHAR: 'a quote or a bracket is not closed',
  MULTIPLE_DOCS: 'a second document begins here: the file holds one',
  TAB_AS_INDENT: 'a tab stands where spaces have to indent',
  TAG_RESOLVE_FAILED: 'a tag (!…) stands here, and none is known',
};

function sentenceFor({ code }: YAMLError): string {
  return (
    SENTENCES[code] ?? 'this is not YAML: look at the indentation, colons, quotes and brackets'
  );
}
