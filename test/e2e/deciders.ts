import { expect } from 'vitest';
import type { Question } from '../../sandbox/automation/automation.ts';
import type { Route } from '../../src/core/config/config.ts';
import { effectsOf, respondsOf, type Stage, type StageOptions, startStage } from './stage.ts';

/** What a story expects of a person who may decide, and of one who may not. */

export const NOBODY = { users: [], groups: [], channel: false };
export const ANYONE: Partial<Route> = { reviewers: { ...NOBODY, channel: true } };

/** The person clicks, is told why not, and nothing reaches the service. */
export async function refused(
  stage: Stage,
  user: string,
  why: RegExp,
  question: Question = {},
): Promise<void> {
  const { ts, token } = await stage.ask(question);
  const before = stage.told(user).length;
  const { acknowledged } = await stage.click(user, ts, 'Approve');
  expect(acknowledged).toBe(true);
  await stage.sandbox.until(() => stage.told(user).length > before);
  expect(stage.told(user).at(-1)).toMatch(why);
  expect(stage.read(ts)).toContain('Waiting');
  expect(respondsOf(stage, token)).toEqual([]);
}

/** Refuses a person on a route where anyone in the channel may decide. */
export async function refusedAnywhere(
  user: string,
  why: RegExp,
  prepare: (stage: Stage) => void = () => undefined,
  options: StageOptions = {},
): Promise<void> {
  await using stage = await startStage({ ...options, route: { ...ANYONE, ...options.route } });
  prepare(stage);
  await refused(stage, user, why);
}

/** The person's click decides. Gives the approval's token. */
export async function approves(
  stage: Stage,
  user: string,
  question: Question = {},
): Promise<string> {
  const { ts, token } = await stage.ask(question);
  await stage.click(user, ts, 'Approve');
  await stage.until(ts, new RegExp(`Approved by <@${user}>`));
  expect(effectsOf(stage, token)).toEqual(['approve']);
  return token;
}
