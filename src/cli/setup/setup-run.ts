import type { FeatureName } from '../../app/features.ts';
import type { VariableName } from '../../core/config/variables.ts';
import type { System } from '../../core/lib/system.ts';
import { SlackStartError } from '../../core/slack/slack-start-error.ts';
import { EnvFileError } from '../env-file.ts';
import type { Terminal } from '../terminal.ts';
import type { StartBot } from './first-approval.ts';
import type { Prompts } from './prompts.ts';
import { type SettingsFile, SettingsFileError } from './settings-file.ts';
import type { SlackAccess } from './try-tokens.ts';

export interface SetupNeeds {
  readonly terminal: Terminal;
  readonly system: System;
  readonly startBot: StartBot;
  /** The bot's public address; null: Socket Mode, unless the settings say otherwise. */
  readonly http: string | null;
  /** null: all. */
  readonly features: readonly FeatureName[] | null;
  readonly channel?: string;
  readonly reviewers?: string;
  readonly file?: string;
  readonly print?: true;
}

/** What the steps share. */
export interface Run extends SetupNeeds {
  readonly settings: SettingsFile;
  readonly prompts: Prompts;
  readonly access: SlackAccess;
  readonly isHttp: boolean;
}

/** A step that cannot go on: the message is for the person, and says what to do. */
export class SetupStop extends Error {
  override readonly name = 'SetupStop';
}

/** Its message is for the person, and needs nothing added. */
export function isForPerson(error: unknown): error is Error {
  const kinds = [SetupStop, SettingsFileError, EnvFileError, SlackStartError];
  return kinds.some((kind) => error instanceof kind);
}

/** Asks before it changes a value that is set. */
export async function change(
  { settings, prompts }: Run,
  values: Partial<Record<VariableName, string>>,
) {
  const names = Object.keys(values) as VariableName[]; // as: the keys of `values`
  const news = names.filter((name) => values[name] !== settings.get(name));
  for (const name of news) {
    const before = settings.get(name);
    if (before === undefined) continue;
    if (settings.isFixed(name)) {
      throw new SetupStop(`${name} is set in the environment: change it there to ${values[name]}.`);
    }
    if (!(await prompts.confirm(`${name} is ${before}. Change it to ${values[name]}?`, true))) {
      throw new SetupStop(`${name} stays ${before}.`);
    }
  }
  if (news.length > 0) {
    settings.set(Object.fromEntries(news.map((name) => [name, values[name] ?? ''])));
  }
}
