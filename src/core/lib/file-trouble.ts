/** Why a file cannot be read, to follow its name. Rethrows errors that are not the file system's. */
export function fileTrouble(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (typeof code !== 'string') throw error;
  return TROUBLES[code] ?? `cannot be read (${code})`;
}

const TROUBLES: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EISDIR: 'is a folder, not a file',
  NOT_A_FILE: 'is not a file',
  // A socket.
  ENXIO: 'is not a file',
  EACCES: 'cannot be read by this user',
  EPERM: 'cannot be read by this user',
};
