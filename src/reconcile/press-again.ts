/** What counts how often a person had the same sent once more. */
export interface Runs {
  readonly run?: number;
}

/** A press on the button that sends it again. `run`: what the person saw; they decide on nothing later. */
export interface AgainPress {
  readonly id: string;
  readonly run: number;
}

/** The button's value. */
export function writeAgain(id: string, record: Runs): string {
  return `${id} ${runOf(record)}`;
}

export function readAgain(value: string): AgainPress {
  const [id = '', run = '0'] = value.split(' ');
  return { id, run: Number(run) };
}

/** How often it was sent again. */
export function runOf({ run = 0 }: Runs): number {
  return run;
}
