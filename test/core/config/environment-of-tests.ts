import { readConfig } from '../../../src/app/configuration.ts';
import { formatProblems } from '../../../src/core/config/read-config.ts';

export type Env = Record<string, string | undefined>;

/** What every configuration needs, except sources and routes. */
export const BASE: Env = {
  SLACK_BOT_TOKEN: 'xoxb-1',
  SLACK_SIGNING_SECRET: 'signing',
  SERVICE_URL: 'https://service.example',
  GATEPOST_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
  GATEPOST_CONFIG: '/etc/gatepost.yaml',
  INTAKE_DEPLOYS: 'the-secret-of-deploys',
  INTAKE_TESTS: 'the-secret-of-tests',
};

export function readWith(yaml: string, env: Env = {}, command: 'start' | 'doctor' = 'start') {
  return readConfig({ ...BASE, ...env }, { command, readFile: () => yaml });
}

/** The configuration, which has to be valid. */
export function configWith(yaml: string, env: Env = {}) {
  const read = readWith(yaml, env);
  if (!read.ok) throw new Error(formatProblems(read.problems));
  return read.config;
}

export function problemsWith(yaml: string, env: Env = {}): string[] {
  const read = readWith(yaml, env);
  return read.ok ? [] : read.problems.map(({ name, message }) => `${name} ${message}`);
}
