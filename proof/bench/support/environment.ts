import type { Env } from './child.ts';

export const SIGNING_SECRET = 'bench-signing-secret';
export const INTAKE_SECRET = 'bench-intake-secret';
export const CHANNEL = 'C0BENCH';
export const TEAM = 'T0BENCH';
export const REVIEWERS = Array.from({ length: 20 }, (_, i) => `U0BENCH${10 + i}`);

/** A user group of the stand-in for Slack: its id says how many members it has. */
export function groupNamed(number: number, size: number): string {
  return `S0BENCH${number}X${size}`;
}

export function membersOf(group: string): string[] {
  const [, number = '', size = '0'] = /^S0BENCH(\d+)X(\d+)$/.exec(group) ?? [];
  return Array.from({ length: Number(size) }, (_, at) => `U0GROUP${number}M${at}`);
}

/** Not a secret: what it encrypts exists for one round. */
const KEYS = `bench:${Buffer.alloc(32, 'bench').toString('base64')}`;

/** Settings of a bot between the stand-ins at `world`; `place` says where it keeps its records. */
export function botEnvironment(world: { readonly url: string }, place: Env): Env {
  return {
    SLACK_BOT_TOKEN: 'xoxb-bench',
    SLACK_SIGNING_SECRET: SIGNING_SECRET,
    SLACK_API_URL: `${world.url}/api/`,
    SERVICE_URL: `${world.url}/service`,
    GATEPOST_KEYS: KEYS,
    GATEPOST_INTAKE_SECRET: INTAKE_SECRET,
    GATEPOST_CHANNEL: CHANNEL,
    GATEPOST_REVIEWERS: REVIEWERS.join(','),
    HOST: '127.0.0.1',
    PORT: '0',
    LOG_LEVEL: 'info',
    ...place,
  };
}
