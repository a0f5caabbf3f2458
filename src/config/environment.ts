import { VARIABLES, type Variable, type VariableName } from './variables.ts';

export type Command = 'start' | 'doctor' | 'people';

/** Line and column, from 1. */
export type FilePlace = `gatepost.yaml:${number}:${number}`;

export interface ConfigProblem {
  /** What has to be mended. */
  readonly name: VariableName | FilePlace;
  /** A sentence that does not repeat the value. */
  readonly message: string;
}

/** The environment, and what is wrong with it so far. */
export class Environment {
  readonly problems: ConfigProblem[] = [];
  readonly command: Command;
  readonly #env: Readonly<Record<string, string | undefined>>;

  constructor(env: Readonly<Record<string, string | undefined>>, command: Command) {
    this.#env = env;
    this.command = command;
  }

  /** The value without white space around it; undefined when there is nothing else. */
  value(name: VariableName): string | undefined {
    return this.lookUp(name);
  }

  /** The same for a variable whose name the file gives. */
  lookUp(name: string): string | undefined {
    return this.#env[name]?.trim() || undefined;
  }

  /** The values between commas, without empty ones. */
  list(name: VariableName): string[] {
    const parts = this.value(name)?.split(',') ?? [];
    return parts.map((part) => part.trim()).filter((part) => part !== '');
  }

  /**
   * What `parse` makes of the value; `fallback` when there is none, and when it is wrong, which is
   * noted. `parse` throws Unfit.
   */
  read<Parsed, Fallback>(
    name: VariableName,
    parse: (value: string) => Parsed,
    fallback: Fallback,
  ): Parsed | Fallback {
    const value = this.value(name);
    try {
      if (value !== undefined) return parse(value);
      if (this.#isRequired(name)) throw new Unfit('is required');
    } catch (error) {
      if (!(error instanceof Unfit)) throw error;
      this.problems.push({ name, message: error.message });
    }
    return fallback;
  }

  /** What a file may bring instead is looked for when the file has been read. */
  #isRequired(name: VariableName): boolean {
    const variable: Variable | undefined = VARIABLES.find((it) => it.name === name);
    if (variable?.orFile && this.value('GATEPOST_CONFIG') !== undefined) return false;
    const required = variable?.required;
    const mode = this.value('SLACK_MODE') ?? 'http';
    return required === 'always' || required === this.command || required === mode;
  }
}

/** A value is not what its variable takes. The message says the rule, never the value. */
export class Unfit extends Error {
  override readonly name = 'Unfit';
}
