interface Curve {
  readonly name: string;
  /** One per position on the horizontal axis, in minutes. */
  readonly values: readonly number[];
}

const WIDTH = 760;
const HEIGHT = 340;
const PLOT = { left: 70, right: 540, top: 40, bottom: 290 };
const COLOURS = ['#1264a3', '#36c5f0', '#b5306a', '#e8912d'];
/** The ticks of the vertical axis, in minutes, at equal distances. */
const TICKS = [
  { minutes: 0.1, name: '6 s' },
  { minutes: 1, name: '1 min' },
  { minutes: 10, name: '10 min' },
  { minutes: 100, name: '1 h 40' },
  { minutes: 1_000, name: '17 h' },
  { minutes: 10_000, name: '7 days' },
];

/** Curves over named positions, with minutes on a logarithmic axis, as SVG. */
export function drawCurves(
  title: string,
  places: readonly string[],
  curves: readonly Curve[],
): string {
  const x = (at: number) => PLOT.left + ((at + 0.5) / places.length) * (PLOT.right - PLOT.left);
  const y = (minutes: number) => {
    const decades = Math.log10(Math.max(minutes, 0.1)) + 1;
    return PLOT.bottom - (decades / (TICKS.length - 1)) * (PLOT.bottom - PLOT.top);
  };
  const grid = TICKS.flatMap(({ minutes, name }) => [
    `<line x1="${PLOT.left}" y1="${y(minutes)}" x2="${PLOT.right}" y2="${y(minutes)}" stroke="#ddd"/>`,
    text(PLOT.left - 8, y(minutes) + 4, name, 'end'),
  ]);
  const below = places.map((name, at) => text(x(at), PLOT.bottom + 20, name, 'middle'));
  const drawn = curves.flatMap(({ name, values }, index) => {
    const colour = COLOURS[index % COLOURS.length];
    const points = values.map((value, at) => `${x(at)},${Math.round(y(value))}`).join(' ');
    const level = PLOT.top + 20 + index * 22;
    return [
      `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="2"/>`,
      `<line x1="${PLOT.right + 14}" y1="${level - 4}" x2="${PLOT.right + 34}" y2="${level - 4}" stroke="${colour}" stroke-width="2"/>`,
      text(PLOT.right + 40, level, name, 'start'),
    ];
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<title>${title}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    `<text x="${PLOT.left}" y="22" font-size="14" fill="#1d1c1d">${title}</text>`,
    ...grid,
    ...below,
    ...drawn,
    '</svg>',
    '',
  ].join('\n');
}

function text(x: number, y: number, words: string, anchor: 'start' | 'middle' | 'end'): string {
  return `<text x="${x}" y="${y}" text-anchor="${anchor}" fill="#616061">${words}</text>`;
}
