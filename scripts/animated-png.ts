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

/**
 * An animated PNG that repeats. Each frame after the first contains only the rectangle that changed, in which what stays
 * is transparent: that compresses to almost nothing.
 */
export function animatedPng(frames: readonly Frame[]): Buffer {
  const chunks: Buffer[] = [];
  let before: DecodedPng | undefined;
  let sequence = 0;
  for (const { png, ms } of frames) {
    const picture = decode(png);
    const { width, height } = picture;
    const whole = { left: 0, top: 0, width, height };
    const part = before === undefined ? whole : changedPart(before, picture);
    const place = uint32s(part.width, part.height, part.left, part.top);
    // In thousandths of a second; then the frame stays, and the next one is drawn over it.
    const shown = Buffer.from([ms >> 8, ms & 255, 1_000 >> 8, 1_000 & 255, 0, OVER]);
    const control = chunk('fcTL', uint32s(sequence++), place, shown);
    const data = deflateSync(rowsOf(picture, part, before), { level: 9 });
    if (before === undefined) {
      const format = Buffer.from([8, RGBA, 0, 0, 0]);
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
const RGBA = 6;
/** Transparent pixels leave those of the frame before. */
const OVER = 1;
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

/** Row by row, each after a byte that says that it is not filtered; transparent where nothing changed since `before`. */
function rowsOf(
  { data, width, channels }: DecodedPng,
  part: Rectangle,
  before: DecodedPng | undefined,
): Buffer {
  const rowLength = 1 + 4 * part.width;
  const rows = Buffer.alloc(part.height * rowLength);
  for (let y = 0; y < part.height; y += 1) {
    for (let x = 0; x < part.width; x += 1) {
      const from = ((part.top + y) * width + part.left + x) * channels;
      const to = y * rowLength + 1 + 4 * x;
      const pixel = [data[from] ?? 0, data[from + 1] ?? 0, data[from + 2] ?? 0];
      if (before && pixel.every((value, i) => before.data[from + i] === value)) continue;
      rows.set([...pixel, 255], to);
    }
  }
  return rows;
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
