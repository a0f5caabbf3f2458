import type { Target } from './target.ts';
import { commandLineTarget } from './targets/command-line.ts';
import { csvTarget } from './targets/csv.ts';
import { identityTokensTarget } from './targets/identity-tokens.ts';
import { intakeTarget } from './targets/intake.ts';
import { luaTarget } from './targets/lua.ts';
import { scimTarget, serviceTarget } from './targets/service.ts';
import { settingsTarget } from './targets/settings.ts';
import { slackTarget } from './targets/slack.ts';
import { slackAnswersTarget } from './targets/slack-answers.ts';

/** Everything that accepts input from others. */
export const TARGETS: readonly Target[] = [
  intakeTarget,
  identityTokensTarget,
  slackTarget,
  serviceTarget,
  scimTarget,
  slackAnswersTarget,
  settingsTarget,
  csvTarget,
  commandLineTarget,
  luaTarget,
];
