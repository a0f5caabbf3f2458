import { posix } from 'node:path';

/**
 * A TypeScript source without what it imports from deleted files: without those imports, and without the lines that do
 * nothing but register one of the imported names, the rows of a table. Whatever else uses a name stays, and does not
 * compile.
 */
export function withoutRows(
  source: string,
  path: string,
  isDeleted: (path: string) => boolean,
): string {
  const names: string[] = [];
  const left = source.replace(
    /^import (?:type )?\{([^}]*)\} from '(\.[^']*)';\n/gmu,
    (statement, imported: string, from: string) => {
      if (!isDeleted(posix.join(posix.dirname(path), from))) return statement;
      for (const each of imported.split(',')) {
        const name = each.trim().split(' ').at(-1);
        if (name) names.push(name);
      }
      return '';
    },
  );
  return names.reduce(withoutName, left);
}

/** Lines such as `name,`, `...name.part,`, `key: name.part(with),` and `| Name`; the name in a list on one line. */
function withoutName(source: string, name: string): string {
  const row = new RegExp(
    `^ +(\\.\\.\\.|'?[\\w-]+'?: )?${name}(\\.\\w+)*(\\(\\w*\\))?,( \\{\\})?\\n`,
    'gm',
  );
  const alternative = new RegExp(`\\n +\\| ${name}(?=;?\\n)`, 'g');
  const listed = new RegExp(`(?<=[[ ])${name}, |, ${name}(?=\\])`, 'g');
  return source
    .replace(row, '')
    .replace(alternative, '')
    .split('\n')
    .map((line) =>
      /^(export )?const \w+( =|:).*\[.*\]|^ +extends /u.test(line)
        ? line.replace(listed, '')
        : line,
    )
    .join('\n');
}
