import type { IncomingMessage } from 'node:http';

/**
 * Reads a body of at most `limit` bytes. `too-large` comes as early as it is known; the rest is then
 * unread. Rejects when the client goes away.
 */
export async function readBody(
  request: IncomingMessage,
  limit: number,
): Promise<Buffer | 'too-large'> {
  if (Number(request.headers['content-length'] ?? 0) > limit) return 'too-large';
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const onData = (chunk: Buffer) => {
      size += chunk.length;
      chunks.push(chunk);
      if (size <= limit) return;
      request.off('data', onData).pause();
      resolve('too-large');
    };
    request.on('data', onData);
    request.once('end', () => {
      const [first] = chunks;
      resolve(first?.length === size ? first : Buffer.concat(chunks, size));
    });
    request.once('error', reject);
  });
}
