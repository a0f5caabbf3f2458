import { type FileHandle, open, stat } from 'node:fs/promises';
import * as z from 'zod';

/** Where the lines of the audit log go: standard output, or a file. */
export interface AuditOutput {
  /** Resolves once the system has all of these lines; a file's are on the disk. Rejects with the system's error. */
  write(lines: string): Promise<void>;
  /** The last entry of a shard that is known to be there, since the last marker; undefined: none is known. */
  last(shard: number): Promise<WrittenEntry | undefined>;
  close(): Promise<void>;
}

const entry = z.object({ shard: z.number(), seq: z.number(), time: z.number(), link: z.string() });
const marker = z.object({ shard: z.number(), marker: z.string() });

export type WrittenEntry = z.infer<typeof entry>;

export function streamOutput(stream: NodeJS.WritableStream): AuditOutput {
  return {
    write: (lines) =>
      new Promise((resolve, reject) => {
        stream.write(lines, (error) => (error ? reject(error) : resolve()));
      }),
    async last() {
      return undefined;
    },
    async close() {},
  };
}

/** Only what is at the end of a file is searched for the last line of a shard. */
const TAIL_BYTES = 256 * 1024;

/**
 * Appends to a file, and opens it anew when it was rotated away. What a crash or a full disk cut short is ended with a
 * line break, so that no line is joined to it.
 */
export function fileOutput(path: string): AuditOutput {
  let opened: FileHandle | undefined;
  /** The last line may not be complete. */
  let isCut = false;

  async function file(): Promise<FileHandle> {
    if (opened !== undefined) {
      const [own, now] = await Promise.all([opened.stat(), stat(path).catch(() => undefined)]);
      if (now !== undefined && now.ino === own.ino && now.dev === own.dev) return opened;
      await opened.close();
      opened = undefined;
    }
    opened = await open(path, 'a+', 0o600);
    const end = await tail(opened, 1);
    isCut = end !== '' && end !== '\n';
    return opened;
  }

  return {
    async write(lines) {
      const to = await file();
      const text = isCut ? `\n${lines}` : lines;
      isCut = true;
      await to.appendFile(text);
      // Not for a pipe or a device, which have no disk.
      if ((await to.stat()).isFile()) await to.datasync();
      isCut = false;
    },
    async last(shard) {
      const lines = (await tail(await file(), TAIL_BYTES)).split('\n');
      for (const line of lines.reverse()) {
        const found = lineIn(line);
        if (found?.shard === shard) return 'link' in found ? found : undefined;
      }
      return undefined;
    },
    async close() {
      await opened?.close();
      opened = undefined;
    },
  };
}

/** undefined: another line, or a part of one. */
function lineIn(line: string): WrittenEntry | z.infer<typeof marker> | undefined {
  try {
    return z.union([entry, marker]).safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
}

async function tail(file: FileHandle, most: number): Promise<string> {
  const about = await file.stat();
  if (!about.isFile() || about.size === 0) return '';
  const length = Math.min(most, about.size);
  const { buffer, bytesRead } = await file.read(
    Buffer.alloc(length),
    0,
    length,
    about.size - length,
  );
  return buffer.toString('utf8', 0, bytesRead);
}
