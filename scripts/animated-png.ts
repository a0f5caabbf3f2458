import { crc32, deflateSync } from 'node:zlib';
import { type DecodedPng, decode } from 'fast-png';

export interface Frame {
  /** A screenshot: opaque, 8 bits per channel. All frames have the same size. */
  readonly png: Uint8Array;
  /** How long it is shown, at most a minute. */
  readonly ms: number;
}

interface Rectangle {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** An animated PNG that repeats. Each frame after the first contains only the rectangle that changed. */
export function animatedPng(frames: readonly Frame[]): Buffer {
  const chunks: Buffer[] = [];
  let before: DecodedPng | undefined;
  let sequence = 0;
  for (const { png, ms } of frames) {
    const picture = decode(png);
    const { width, height, channels } = picture;
    const whole = { left: 0, top: 0, width, height };
    const part = before === undefined ? whole : changedPart(before, picture);
    const place = uint32s(part.width, part.height, part.left, part.top);
    // In thousandths of a second; then the frame stays, and the next one is drawn over it.
    const shown = Buffer.from([ms >> 8, ms & 255, 1_000 >> 8, 1_000 & 255, 0, 0]);
    const control = chunk('fcTL', uint32s(sequence++), place, shown);
    const data = deflateSync(rowsOf(picture, part), { level: 9 });
    if (before === undefined) {
      const format = Buffer.from([8, channels === 4 ? RGBA : RGB, 0, 0, 0]);
      const header = chunk('IHDR', uint32s(width, height), format);
      chunks.push(SIGNATURE, header, chunk('acTL', uint32s(frames.length, FOREVER)));
      chunks.push(control, chunk('IDAT', data));
    } else {
      chunks.push(control, chunk('fdAT', uint32s(sequence++), data));
    }
    before = picture;
  }
  return Buffer.concat([...chunks, chunk('IEND')]);
}

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const RGB = 2;
const RGBA = 6;
const FOREVER = 0;

/** The smallest rectangle with every pixel that differs; one pixel, if none does. */
function changedPart(before: DecodedPng, after: DecodedPng): Rectangle {
  const { width, height, channels } = after;
  const differs = (x: number, y: number) => {
    const at = (y * width + x) * channels;
    for (let i = at; i < at + channels; i += 1) if (before.data[i] !== after.data[i]) return true;
    return false;
  };
  let [left, top, right, bottom] = [width, height, 0, 0];
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      if (!differs(x, y)) continue;
      [left, right] = [Math.min(left, x), Math.max(right, x)];
      [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
    }
  }
  if (left > right) return { left: 0, top: 0, width: 1, height: 1 };
  return { left, top, width: right - left + 1, height: bottom - top + 1 };
}

/** Row by row, each after a byte that says that it is not filtered. */
function rowsOf({ data, width, channels }: DecodedPng, part: Rectangle): Buffer {
  const rows = Array.from({ length: part.height }, (_, row) => {
    const start = ((part.top + row) * width + part.left) * channels;
    return [Buffer.of(0), data.subarray(start, start + part.width * channels) as Uint8Array];
  });
  return Buffer.concat(rows.flat());
}

function chunk(type: string, ...parts: readonly Buffer[]): Buffer {
  const data = Buffer.concat(parts);
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([uint32s(data.length), body, uint32s(crc32(body))]);
}

function uint32s(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, 4 * at);
  return bytes;
}
