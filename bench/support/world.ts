import { benchProgram } from './build.ts';
import { type Child, startChild } from './child.ts';
import type { Click } from './click.ts';
import type { Clicked } from './clicker.ts';

export interface WorldRequest {
  readonly eventsUrl: string;
  readonly clicks: readonly Click[];
  /** Clicks that wait for their outcome at a time. */
  readonly atOnce: number;
}

export interface WorldAnswer {
  readonly clicked: readonly Clicked[];
  readonly tookMs: number;
}

/** The stand-ins for Slack and the service, with people who can click. */
export interface World extends AsyncDisposable {
  readonly url: string;
  click(request: WorldRequest): Promise<WorldAnswer>;
}

/** `holdMs`: how long the service keeps a question for the status to itself. */
export async function startWorld({ holdMs = 0 } = {}): Promise<World> {
  const child: Child = await startChild(benchProgram('world'), { HOLD_MS: String(holdMs) });
  return {
    url: child.url,
    // as: `processes/world.ts` answers so
    click: (request) => child.ask(request) as Promise<WorldAnswer>,
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}
