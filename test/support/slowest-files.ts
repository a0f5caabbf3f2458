import type { Reporter, TestModule } from 'vitest/node';

const SHOWN = 10;

/** Ends a run with the files that took longest, because the slowest file is what a run waits for. */
export class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= SHOWN) return;
    const slowest = modules
      .map((module) => ({ name: nameOf(module), ms: module.diagnostic().duration }))
      .sort((a, b) => b.ms - a.ms)
      .slice(0, SHOWN);
    const lines = slowest.map(
      ({ name, ms }) => `${(ms / 1_000).toFixed(1).padStart(8)} s  ${name}`,
    );
    console.log(['The slowest files:', ...lines].join('\n'));
  }
}

function nameOf({ relativeModuleId, project }: TestModule): string {
  return `${relativeModuleId} (${project.name})`;
}
