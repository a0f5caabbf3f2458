import type { Reporter, TestModule } from 'vitest/node';

const SHOWN = 10;

/**
 * Prints, at the end of a run, how to repeat its random choices, and the files that took longest: the slowest one
 * determines the run's duration.
 */
export class RunSummary implements Reporter {
  readonly #drawn: string;

  /** `drawn`: as it is set to repeat the run. */
  constructor(drawn: string) {
    this.#drawn = drawn;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= SHOWN) return;
    const slowest = modules
      .map((module) => ({ name: nameOf(module), ms: module.diagnostic().duration }))
      .sort((a, b) => b.ms - a.ms)
      .slice(0, SHOWN);
    const lines = slowest.map(
      ({ name, ms }) => `${(ms / 1_000).toFixed(1).padStart(8)} s  ${name}`,
    );
    console.log([this.#drawn, 'The slowest files:', ...lines].join('\n'));
  }
}

function nameOf({ relativeModuleId, project }: TestModule): string {
  return `${relativeModuleId} (${project.name})`;
}
