import { readFile } from 'node:fs/promises';
import { SourceMap } from 'node:module';

/** The parts of a V8 profile (`--cpu-prof`) that are read here. */
interface Profile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: {
      readonly functionName: string;
      readonly url: string;
      readonly lineNumber: number;
      readonly columnNumber: number;
    };
    readonly children?: readonly number[];
  }[];
  readonly samples: readonly number[];
  /** Microseconds since the previous sample. */
  readonly timeDeltas: readonly number[];
}

/** Owners of processor time, by the files in which or for which it was spent. The first match counts. */
const OWNERS: readonly (readonly [owner: string, files: RegExp])[] = [
  ['log', /pino|sonic-boom|src\/app\/(?:log|observer)/],
  ['metrics', /prom-client|metrics\.ts/],
  ['calls of Slack and the service', /undici|src\/core\/service|src\/core\/http\/exchange/],
  ['store', /ioredis|redis-|src\/core\/store|floor-store/],
  ['server and Slack requests', /src\/core\/http|src\/core\/slack|@slack|tsscmp|src\/app\//],
  ['schemas', /\/zod\//],
  ['engine', /src\/core\/engine/],
  ['message', /src\/approvals\/tell\/message/],
  ['encryption, texts, timers', /src\/core\/(?:lib|config)/],
  ['rules', /src\/approvals|src\/core\/people|(?:processes|support)\/floor/],
  ['other', /./],
];

export const BILL_OWNERS = ['Node itself', 'garbage collection', ...OWNERS.map(([name]) => name)];

/**
 * The share of each owner in the second half of a profile. Node's own code and V8's built-in functions count for their
 * caller; without a caller, for Node itself.
 */
export async function sharesIn(path: string): Promise<ReadonlyMap<string, number>> {
  const { nodes, samples, timeDeltas }: Profile = JSON.parse(await readFile(path, 'utf8'));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const callers = new Map(nodes.flatMap(({ id, children = [] }) => children.map((it) => [it, id])));
  const fileOf = await sourceFiles(nodes.map(({ callFrame }) => callFrame));
  const ownerOf = (id: number): string | undefined => {
    for (let at: number | undefined = id; at !== undefined; at = callers.get(at)) {
      const frame = byId.get(at)?.callFrame;
      if (frame?.functionName === '(idle)') return undefined;
      if (frame?.functionName === '(garbage collector)') return 'garbage collection';
      const file = frame === undefined ? '' : fileOf(frame);
      if (file === '' || file.startsWith('node:') || file.startsWith('wasm:')) continue;
      return OWNERS.find(([, files]) => files.test(file))?.[0];
    }
    return 'Node itself';
  };
  const owners = new Map(nodes.map(({ id }) => [id, ownerOf(id)]));
  const spent = new Map<string, number>();
  for (let at = samples.length >> 1; at < samples.length; at += 1) {
    const owner = owners.get(samples[at] ?? 0);
    if (owner === undefined) continue;
    spent.set(owner, (spent.get(owner) ?? 0) + (timeDeltas[at] ?? 0));
  }
  const total = [...spent.values()].reduce((sum, each) => sum + each, 0);
  return new Map(BILL_OWNERS.map((owner) => [owner, (spent.get(owner) ?? 0) / total]));
}

type Frame = Profile['nodes'][number]['callFrame'];

/** Maps bundled files back to their source files. */
async function sourceFiles(frames: readonly Frame[]): Promise<(frame: Frame) => string> {
  const maps = new Map<string, SourceMap | undefined>();
  for (const { url } of frames) {
    if (maps.has(url) || !url.startsWith('file:')) continue;
    const map = await readFile(new URL(`${url}.map`), 'utf8').catch(() => undefined);
    maps.set(url, map === undefined ? undefined : new SourceMap(JSON.parse(map)));
  }
  return ({ url, lineNumber, columnNumber }) => {
    const found = maps.get(url)?.findEntry(lineNumber, columnNumber);
    const isMapped = found !== undefined && 'originalSource' in found;
    // Sources are named relative to the file: Bolt's have no package in their names.
    return isMapped ? new URL(found.originalSource, url).href : url;
  };
}

const WIDTH = 760;
const ROW = 34;
const PLOT = { left: 230, right: 700, top: 56 };

interface Bill {
  readonly name: string;
  /** Processor time of one click. */
  readonly ms: number;
  readonly shares: ReadonlyMap<string, number>;
}

/** Two bills side by side, by owner, as SVG. */
export function drawBills(title: string, [floor, ours]: readonly [Bill, Bill]): string {
  const usOf = ({ ms, shares }: Bill, owner: string) => (shares.get(owner) ?? 0) * ms * 1_000;
  const most = Math.max(...BILL_OWNERS.flatMap((owner) => [usOf(floor, owner), usOf(ours, owner)]));
  const height = PLOT.top + BILL_OWNERS.length * ROW + 10;
  const bar = (bill: Bill, owner: string, y: number, colour: string) => {
    const us = usOf(bill, owner);
    const width = (us / most) * (PLOT.right - PLOT.left);
    return [
      `<rect x="${PLOT.left}" y="${y}" width="${width.toFixed(1)}" height="11" fill="${colour}"/>`,
      `<text x="${(PLOT.left + width + 6).toFixed(1)}" y="${y + 10}" fill="#616061">${Math.round(us)}</text>`,
    ];
  };
  const rows = BILL_OWNERS.flatMap((owner, at) => {
    const y = PLOT.top + at * ROW;
    return [
      `<text x="${PLOT.left - 10}" y="${y + 15}" text-anchor="end" fill="#1d1c1d">${owner}</text>`,
      ...bar(ours, owner, y, OURS),
      ...bar(floor, owner, y + 12, FLOOR),
    ];
  });
  const legend = (bill: Bill, x: number, colour: string) => [
    `<rect x="${x}" y="32" width="11" height="11" fill="${colour}"/>`,
    `<text x="${x + 17}" y="42" fill="#616061">${bill.name}: ${Math.round(bill.ms * 1_000)} µs</text>`,
  ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="12">`,
    `<title>${title}</title>`,
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>`,
    `<text x="20" y="22" font-size="14" fill="#1d1c1d">${title}</text>`,
    ...legend(ours, PLOT.left, OURS),
    ...legend(floor, PLOT.left + 170, FLOOR),
    ...rows,
    '</svg>',
    '',
  ].join('\n');
}

const OURS = '#1264a3';
const FLOOR = '#e8912d';
