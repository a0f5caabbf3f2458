/** An answer `ok: false` of the Web API. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: string;
  readonly facts: Readonly<Record<string, unknown>>;

  constructor(code: string, facts: Readonly<Record<string, unknown>> = {}) {
    super(code);
    this.code = code;
    this.facts = facts;
  }
}

/** For `invalid_arguments` and `invalid_blocks`: the problems, each with its JSON pointer. */
export function refusalWith(code: string, problems: readonly string[]): Refusal {
  return new Refusal(code, {
    errors: problems,
    response_metadata: { messages: problems.map((problem) => `[ERROR] ${problem}`) },
  });
}
