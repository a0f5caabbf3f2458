import process from 'node:process';
import { parseArgs } from 'node:util';
import { auditMillion } from './audit-million.ts';
import { backpressure } from './backpressure.ts';
import { burstMany, burstOne } from './burst.ts';
import { clickAck } from './click-ack.ts';
import { clickFloor } from './click-floor.ts';
import { clickShown } from './click-shown.ts';
import { clickThroughput } from './click-throughput.ts';
import { feltBurst, feltClick, feltForm, feltOvertaking, feltTold } from './felt.ts';
import { absenceGrowth, groupGrowth, homeGrowth, supersedeGrowth } from './growth.ts';
import { history } from './history.ts';
import { home200 } from './home-200.ts';
import { intake } from './intake.ts';
import { intakePosted } from './intake-posted.ts';
import { longRun } from './long-run.ts';
import { modal } from './modal.ts';
import { pending } from './pending.ts';
import { cluster, replicas } from './replicas.ts';
import { askStart, start } from './start.ts';
import { build } from './support/build.ts';
import { printMachine } from './support/print-machine.ts';
import { note, type Row, short } from './support/rounds.ts';

type Bench = readonly [rows: readonly string[], run: (options: Options) => Promise<Row[]>];

/** `npm run bench`: the named benches, or all. */
const BENCHES: readonly Bench[] = [
  [['intake', 'intake-proved', 'intake-floor'], intake],
  [['intake-posted', 'intake-posted-cpu'], intakePosted],
  [['click-ack'], clickAck],
  [['click-shown'], clickShown],
  [['carried-out'], clickThroughput],
  [
    [
      'click-floor',
      'click-limit',
      'click-floor-cold',
      'click-floor-shown',
      'click-floor-shown-cold',
      'click-beside-bolt',
      'click-beside-bot',
      'click-beside-queue',
      'carried-out-beside-queue',
    ],
    clickFloor,
  ],
  [['modal'], modal],
  [['home-200'], home200],
  [['start', 'start-cpu', 'idle-rss'], start],
  [['ask-start'], askStart],
  [['felt-click'], feltClick],
  [['felt-thread', 'felt-outcome-channel', 'felt-requester'], feltTold],
  [['felt-form'], feltForm],
  [['felt-overtaking'], feltOvertaking],
  [['felt-burst'], feltBurst],
  [['pending-bytes', 'pending-idle', 'pending-rss', 'reconcile', 'reconcile-loop'], pending],
];

/** Run only by name, or with `--full`. */
const FULL: readonly Bench[] = [
  [['burst-one'], burstOne],
  [['burst-many'], burstMany],
  [['absence-open', 'absence-each', 'absence-away'], absenceGrowth],
  [['home-people', 'home-people-took', 'home-decided'], homeGrowth],
  [['supersede-older', 'supersede-took'], supersedeGrowth],
  [['group-press'], groupGrowth],
  [['history-bytes', 'history-bytes-embedded'], history],
  [['replicas-1', 'replicas-2', 'replicas-4'], replicas],
  [['cluster-1', 'cluster-2', 'cluster-4'], cluster],
  [['backpressure'], backpressure],
  [['audit-million'], auditMillion],
];

/** Run only by name. */
const NAMED: readonly Bench[] = [[['long-run'], longRun]];

/** `full`: also the pending rows at a thousand and thirty thousand. `minutes`: of the long run. */
interface Options {
  readonly full: boolean;
  readonly minutes: number;
}

const all = [...BENCHES, ...FULL];
const ids = [...all, ...NAMED].flatMap(([rows]) => rows);

const USAGE = `npm run bench -- [ROWS] [--json] [--full] [--minutes N]

  ROWS    these alone: ${ids.join(', ')}
  --full  also fewer pending, bursts, replicas, a Cluster, backpressure and a long audit log
  --json  prints JSON
  --minutes  how long the long run takes; default 60
`;

const { values, positionals: named } = readOptions();
const minutes = Number(values.minutes);
if (!(minutes > 0)) {
  console.error('--minutes takes a number.');
  process.exit(2);
}
const unknown = named.filter((name) => !ids.includes(name));
if (unknown.length > 0) {
  console.error(`There is no row ${unknown.join(', ')}. Rows: ${ids.join(', ')}`);
  process.exit(2);
}
// Every child ends with this process.
process.on('SIGINT', () => process.exit(1)).on('SIGTERM', () => process.exit(1));
process.setMaxListeners(0);
await build();
note(await printMachine());
const rows: Row[] = [];
const wantedBenches = named.length > 0 ? [...all, ...NAMED] : values.full ? all : BENCHES;
for (const [own, run] of wantedBenches) {
  if (named.length > 0 && !own.some((id) => named.includes(id))) continue;
  rows.push(...(await run({ full: values.full, minutes })));
}
const wanted = rows.filter(
  ({ id }) => named.length === 0 || named.some((name) => id.startsWith(name)),
);
if (values.json)
  console.log(JSON.stringify(wanted.map((row) => ({ ...row, node: process.version }))));
else for (const row of wanted) console.log(lineOf(row));

function readOptions() {
  const flag = { type: 'boolean', default: false } as const;
  try {
    const minutes = { type: 'string', default: '60' } as const;
    const options = { json: flag, full: flag, help: flag, minutes };
    const read = parseArgs({ allowPositionals: true, options });
    if (!read.values.help) return read;
  } catch {
    process.stderr.write(USAGE);
    process.exit(2);
  }
  process.stdout.write(USAGE);
  process.exit(0);
}

function lineOf({ id, value, bare, ratio, spread, unit }: Row): string {
  const against =
    bare === null || ratio === null ? '' : `  bare ${short(bare)}  ratio ${short(ratio)}`;
  const noise = spread === null ? '' : `  spread ${short(spread)}`;
  return `${id.padEnd(24)} ${short(value).padStart(10)} ${unit}${against}${noise}  Node ${process.version}`;
}
