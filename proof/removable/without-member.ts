/**
 * A TypeScript source without one of its members: `Type.member` or, as `Type.literal`, one alternative of a union;
 * a name alone is a whole declaration. All members of that name in the declaration go. Throws if there is none.
 *
 * It reads lines and brackets, as the formatter lays them out.
 */
export function withoutMember(source: string, name: string): string {
  const [owner = '', member] = name.split('.', 2);
  const lines = source.split('\n');
  const from = lines.findIndex((line) => declares(line, owner));
  if (from < 0) throw new Error(`no declaration of ${owner}`);
  const to = endOf(
    lines,
    from,
    /^(export )?(interface|function)/u.test(lines[from] ?? '') ? '}' : ';',
  );
  const [before, after] = [lines.slice(0, from), lines.slice(to + 1)];
  if (member === undefined) return [...withoutComment(before), ...after].join('\n');
  const own = lines.slice(from, to + 1).join('\n');
  const left = withoutPart(own, member);
  if (left === own) throw new Error(`${owner} has no ${member}`);
  return [...before, left, ...after].join('\n');
}

function declares(line: string, owner: string): boolean {
  return new RegExp(`^(export )?(interface|type|const|function) ${owner}\\b`).test(line);
}

/** The last line of the declaration or member that starts at this line: it ends with one of these signs. */
function endOf(lines: readonly string[], from: number, ends = ';,'): number {
  let depth = 0;
  for (let at = from; at < lines.length; at += 1) {
    const code = (lines[at] ?? '').replace(/\/\*.*?\*\/|\/\/.*|'[^']*'/gu, '');
    for (const sign of code) {
      if ('({['.includes(sign)) depth += 1;
      if (')}]'.includes(sign)) depth -= 1;
    }
    if (depth <= 0 && ends.includes(code.trim().at(-1) ?? ' ')) return at;
  }
  return lines.length - 1;
}

function withoutPart(own: string, part: string): string {
  const isMember = new RegExp(`^ +(readonly )?'?${part}'?\\??:`);
  const isNamed = new RegExp(`^ +(\\| )?(\\{ )?readonly (name|kind|code): '${part}'`);
  let lines = own.split('\n');
  for (let at = lines.findIndex((line) => isMember.test(line)); at >= 0; ) {
    lines = [...withoutComment(lines.slice(0, at)), ...lines.slice(endOf(lines, at) + 1)];
    at = lines.findIndex((line) => isMember.test(line));
  }
  const named = lines.findIndex((line) => isNamed.test(line));
  if (named >= 0) lines = withoutAlternative(lines, named);
  const inLine = [
    ` \\| '${part}'`,
    `, z\\.literal\\('${part}'\\)`,
    `;? readonly ${part}\\??: [^;} ]+( [^;} ]+)*`,
  ];
  const within = new RegExp(inLine.join('|'), 'g');
  const isAlone = new RegExp(`^ +\\| '${part}'$`);
  return lines
    .filter((line) => !isAlone.test(line))
    .map((line) => line.replace(within, ''))
    .join('\n');
}

/** The alternative around this line: from its bar to the next one, or to the end of the type, which stays. */
function withoutAlternative(lines: readonly string[], at: number): string[] {
  const isBar = (line: string) => /^ {2}\| /u.test(line);
  let from = at;
  while (from > 0 && !isBar(lines[from] ?? '')) from -= 1;
  let to = from + 1;
  while (to < lines.length && !isBar(lines[to] ?? '') && !/^ {2}\/\*\*|^\)/u.test(lines[to] ?? ''))
    to += 1;
  const isLast = /;$/u.test(lines[to - 1] ?? '') && to === lines.length;
  const kept = [...withoutComment(lines.slice(0, from)), ...lines.slice(to)];
  return isLast ? [...kept, ';'] : kept;
}

/** Without the comment at their end. */
function withoutComment(lines: readonly string[]): readonly string[] {
  const last = lines.at(-1)?.trim() ?? '';
  if (last.startsWith('//')) return withoutComment(lines.slice(0, -1));
  if (!last.endsWith('*/')) return lines;
  const from = lines.findLastIndex((line) => line.trim().startsWith('/*'));
  return lines.slice(0, from);
}
