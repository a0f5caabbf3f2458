/**
 * A JSON text, a member a line, with every value exactly as it was written: numbers keep their digits. undefined: it
 * would be longer than `most` characters.
 */
export function indented(json: string, most: number): string | undefined {
  let text = '';
  let depth = 0;
  const tokens = json.match(TOKEN) ?? [];
  for (const [at, token] of tokens.entries()) {
    const next = tokens[at + 1];
    const isOpening = token === '{' || token === '[';
    const isClosing = token === '}' || token === ']';
    const isEmpty = isOpening && (next === '}' || next === ']');
    const wasEmpty = isClosing && (tokens[at - 1] === '{' || tokens[at - 1] === '[');
    if (isClosing) depth -= 1;
    if (isClosing && !wasEmpty) text += lineAt(depth);
    text += token === ':' ? ': ' : token;
    if (isOpening) depth += 1;
    if (token === ',' || (isOpening && !isEmpty)) text += lineAt(depth);
    // A text of brackets alone would grow with the square of its length.
    if (text.length > 2 * most) return undefined;
  }
  return [...text].length > most ? undefined : text;
}

/** The tokens of a JSON text. */
export const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gs;

function lineAt(depth: number): string {
  return `\n${'  '.repeat(depth)}`;
}
