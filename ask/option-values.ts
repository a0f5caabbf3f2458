/** The values of `ask`'s options. Each function throws InvalidArgumentError, whose message follows the option. */

import { InvalidArgumentError } from 'commander';
import { durationMs } from '../src/core/lib/duration.ts';
import { reviewersNamed } from './contract/reviewers-named.ts';
import { signalNamed } from './signals.ts';

const LONGEST_MS = 30 * 86_400_000;

/** An unset variable of a pipeline: without the option, other people could decide, or something else be approved. */
export function filled(given: string): string {
  if (given.trim() === '') throw new InvalidArgumentError('It must not be empty.');
  return given;
}

export function field(given: string, before: Readonly<Record<string, string>> = {}) {
  const at = given.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('Write it as name=value.');
  return { ...before, [given.slice(0, at)]: given.slice(at + 1) };
}

/** By Slack id. */
export interface People {
  readonly users: string[];
  readonly groups: string[];
}

/** Also by address. */
export interface Reviewers extends People {
  readonly emails?: string[] | undefined;
}

export function reviewers(given: string): Reviewers {
  const named = listOf(given);
  const strange = named.find((each) => !isId(each) && !each.includes('@'));
  if (strange !== undefined)
    throw new InvalidArgumentError('Write e-mail addresses, or ids: U… for people, S… for groups.');
  return reviewersNamed(named);
}

function people(given: string): People {
  const ids = listOf(given);
  if (!ids.every(isId)) throw new InvalidArgumentError('Write ids: U… for people, S… for groups.');
  return reviewersNamed(ids);
}

function listOf(given: string): readonly string[] {
  return given.split(',').map((each) => each.trim());
}

function isId(text: string): boolean {
  return /^[UWS][A-Z0-9]{2,}$/.test(text);
}

export type Needs = { readonly name: string; readonly of: People; readonly count: number }[];

export function need(given: string, before: Needs = []): Needs {
  const { name, places = '1', ids } = NEED.exec(given)?.groups ?? {};
  if (name === undefined || ids === undefined) {
    throw new InvalidArgumentError('Write it as name=ids or name:count=ids.');
  }
  return [...before, { name: name.trim(), of: people(ids), count: count(places) }];
}

const NEED = /^(?<name>[^:=]+)(?::(?<places>[^:=]*))?=(?<ids>[^=]+)$/;

export function count(given: string): number {
  if (!/^[1-9]\d{0,2}$/.test(given)) throw new InvalidArgumentError('Write a number from 1 on.');
  return Number(given);
}

export function span(given: string): number {
  const ms = durationMs(given);
  if (!(ms > 0)) throw new InvalidArgumentError('Write a duration such as 90s, 30m or 2h.');
  if (ms > LONGEST_MS) throw new InvalidArgumentError('30d is the longest.');
  return ms;
}

export function signals(given: string, before: readonly NodeJS.Signals[] = []) {
  const named = given.split(',').map((name) => signalNamed(name));
  const known = named.filter((name) => name !== undefined);
  if (known.length < named.length)
    throw new InvalidArgumentError('Write names such as INT or INT,QUIT, but for KILL and STOP.');
  return [...before, ...known];
}

export function file(given: string, before: readonly string[] = []): readonly string[] {
  return [...before, given];
}
