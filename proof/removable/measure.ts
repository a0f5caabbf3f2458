import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { OwnParts } from './features.ts';
import { withoutMember } from './without-member.ts';
import { withoutRows } from './without-rows.ts';

/**
 * How many other files of `src` a feature is cut through. In a copy of `src` its own files are deleted, and its members
 * are taken out of shared files, and its rows out of tables; then the compiler names the files with errors. Each shared
 * file that lost something counts, and each file with an error. An error can hide others that follow from it, so the
 * count is the least that has to be edited.
 */
export interface Copy extends AsyncDisposable {
  /** Paths of the other files to edit, in order. */
  othersOf(parts: OwnParts): Promise<readonly string[]>;
}

/** `root`: of the repository. */
export async function copySources(root: string): Promise<Copy> {
  const folder = await mkdtemp(join(tmpdir(), 'removable-'));
  const src = join(folder, 'src');
  const restore = async () => {
    await rm(src, { recursive: true, force: true });
    await cp(join(root, 'src'), src, { recursive: true });
  };
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  // What `src` imports of `ask` compiles without any feature.
  for (const name of ['ask', 'package.json', 'tsconfig.json', 'tsconfig.build.json']) {
    await cp(join(root, name), join(folder, name), { recursive: true });
  }
  return {
    async othersOf({ files, members = {} }) {
      await restore();
      for (const file of files) await rm(join(src, file), { recursive: true });
      const isDeleted = (path: string) =>
        files.some((file) => path === file || (file.endsWith('/') && path.startsWith(file)));
      const edited = new Set<string>();
      for (const path of await sourcesIn(src)) {
        const before = await readFile(join(src, path), 'utf8');
        const left = (members[path] ?? []).reduce(withoutMember, before);
        const after = withoutRows(left, path, isDeleted);
        if (after === before) continue;
        await writeFile(join(src, path), after);
        edited.add(path);
      }
      return [...new Set([...edited, ...(await filesWithErrors(folder))])].sort();
    },
    async [Symbol.asyncDispose]() {
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function sourcesIn(src: string): Promise<readonly string[]> {
  const all = await readdir(src, { recursive: true });
  return all.filter((path) => path.endsWith('.ts'));
}

async function filesWithErrors(folder: string): Promise<readonly string[]> {
  const compiler = join(folder, 'node_modules', 'typescript', 'bin', 'tsc');
  const args = [compiler, '-p', 'tsconfig.build.json', '--noEmit', '--pretty', 'false'];
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, args, { cwd: folder, maxBuffer: 2 ** 26 }, (_error, stdout) =>
      resolve(stdout),
    );
  });
  const lines = output.split('\n').filter((line) => / error TS\d+: /u.test(line));
  return lines.map((line) => {
    const [, path] = /^src\/(.+?)\(\d+,\d+\): error /u.exec(line) ?? [];
    if (path === undefined) throw new Error(`the compiler says: ${line}`);
    return path;
  });
}
