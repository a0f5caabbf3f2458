import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import type { Reporter, TestModule } from 'vitest/node';
import type { FileCost } from './note-processor-time.ts';
import { fixedLoop, processorTime } from './processor-time.ts';

const SHOWN = 10;
/** How often the speed of the machine is measured. */
const MEASURE_EVERY_MS = 5_000;

export interface RunSummaryOptions {
  /** As it is set to repeat the run's random choices. */
  readonly drawn: string;
  /**
   * For the whole quick run, in seconds of processor of the machine it is meant for: on other machines they are
   * converted. Twice as much makes the run fail under CI.
   */
  readonly budget: {
    readonly seconds: number;
    /** How long `fixedLoop` takes on that machine, in ms. */
    readonly loopMs: number;
    /** The projects that are the quick run. */
    readonly isQuick: (project: string) => boolean;
  };
  /** A page with a table of the dearest files between `<!-- dearest -->` and `<!-- /dearest -->`; kept if it is to be written. */
  readonly page: { readonly path: string; readonly isWritten: boolean };
}

/**
 * Prints, at the end of a run, how to repeat its random choices, what it cost, the files that took longest (the slowest
 * one determines the run's duration) and, above the budget, the dearest ones.
 */
export class RunSummary implements Reporter {
  readonly #options: RunSummaryOptions;
  readonly #loops: number[] = [];
  #measuring: NodeJS.Timeout | undefined;
  /** What was built before the first file, in ms. */
  #builtMs: number | undefined;

  constructor(options: RunSummaryOptions) {
    this.#options = options;
  }

  onInit(): void {
    // The first times are of code that is not compiled yet.
    for (let n = 0; n < 5; n += 1) fixedLoop();
    this.#measuring = setInterval(() => this.#loops.push(fixedLoop()), MEASURE_EVERY_MS).unref();
  }

  onTestModuleStart(): void {
    this.#builtMs ??= processorTime().started;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    clearInterval(this.#measuring);
    if (modules.length <= SHOWN) return;
    const { drawn, budget, page } = this.#options;
    const files = modules.map(fileOf);
    const usedS = (processorTime().own + (this.#builtMs ?? 0) + timeOfWorkers(files)) / 1_000;
    this.#loops.push(fixedLoop());
    const convertedS = (usedS * budget.loopMs) / median(this.#loops);
    const spent = `${usedS.toFixed(0)} s of processor (${partsOf(files, usedS, this.#builtMs ?? 0)}); converted, ${convertedS.toFixed(0)} s`;
    const isQuick = modules.every(({ project }) => budget.isQuick(project.name));
    const isOver = isQuick && convertedS > budget.seconds;
    const slowest = files.toSorted((a, b) => b.wallMs - a.wallMs).slice(0, SHOWN);
    const dearest = files.toSorted((a, b) => costOf(b) - costOf(a)).slice(0, SHOWN);
    const lines = [
      drawn,
      isQuick ? `${spent} of a budget of ${budget.seconds} s` : spent,
      'The slowest files:',
      ...slowest.map(({ name, wallMs }) => `${seconds(wallMs)} s  ${name}`),
      ...(isOver
        ? [
            'The dearest files:',
            ...dearest.map((file) => `${seconds(costOf(file))} s  ${file.name}`),
          ]
        : []),
    ];
    console.log(lines.join('\n'));
    if (isQuick && page.isWritten) writeTable(page.path, dearest);
    if (isQuick && process.env.CI === 'true' && convertedS > 2 * budget.seconds) {
      console.log('FAILED: the quick tests cost more than twice their budget.');
      process.exitCode = 1;
    }
  }
}

interface FileSummary {
  readonly name: string;
  readonly wallMs: number;
  /** undefined: it did not run to its end. */
  readonly cost: FileCost | undefined;
}

function fileOf(module: TestModule): FileSummary {
  const { relativeModuleId, project } = module;
  const name = `${relativeModuleId} (${project.name})`;
  return { name, wallMs: module.diagnostic().duration, cost: module.meta().cost };
}

/** In ms. */
function costOf({ cost }: FileSummary): number {
  return cost === undefined ? 0 : cost.imports + cost.tests + cost.started;
}

/** What the run was spent on. The rest is starting workers, transforming sources and collecting results. */
function partsOf(files: readonly FileSummary[], usedS: number, builtMs: number): string {
  const sum = (part: 'imports' | 'tests' | 'started') =>
    files.reduce((ms, { cost }) => ms + (cost?.[part] ?? 0), 0) / 1_000;
  const parts = {
    build: builtMs / 1_000,
    imports: sum('imports'),
    tests: sum('tests'),
    'programs and browsers': sum('started'),
  };
  const rest = usedS - Object.values(parts).reduce((all, each) => all + each, 0);
  return Object.entries({ ...parts, runner: rest })
    .map(([name, each]) => `${name} ${each.toFixed(0)}`)
    .join(', ');
}

function timeOfWorkers(files: readonly FileSummary[]): number {
  const totals = new Map<number, number>();
  for (const { cost } of files)
    if (cost !== undefined)
      totals.set(cost.worker.pid, Math.max(cost.worker.total, totals.get(cost.worker.pid) ?? 0));
  return [...totals.values()].reduce((sum, total) => sum + total, 0);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1).padStart(8);
}

function writeTable(path: string, dearest: readonly FileSummary[]): void {
  const cells = (name: string, ...ms: number[]) =>
    `| ${[name, ...ms.map((each) => (each / 1_000).toFixed(1))].join(' | ')} |`;
  const rows = dearest.flatMap(({ name, wallMs, cost }) =>
    cost === undefined
      ? []
      : [cells(`\`${name}\``, cost.imports, cost.tests, cost.started, wallMs)],
  );
  const table = [
    '| file | imports, s of processor | tests | programs and browsers | wall |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n');
  const text = readFileSync(path, 'utf8');
  const kept = /(<!-- dearest -->\n)[\s\S]*?(<!-- \/dearest -->)/;
  writeFileSync(
    path,
    text.replace(kept, (_, before, after) => `${before}${table}\n${after}`),
  );
}
