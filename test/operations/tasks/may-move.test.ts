import { expect, it } from 'vitest';
import type { Config, MoveRule } from '../../../src/core/config/config.ts';
import { systemTimers } from '../../../src/core/lib/timers.ts';
import { TRUE_TIME } from '../../../src/core/lib/timing.ts';
import type { Lookup } from '../../../src/core/slack/lookup.ts';
import { mayMove, type Way } from '../../../src/operations/tasks/may-move.ts';
import { coreWith } from '../../support/core-with.ts';
import { fake } from '../../support/fake.ts';
import { slackPerson } from '../../support/slack-person.ts';

const nobody = { users: [], groups: [], channel: false };
const rule = (from: string[], to: string[], user: string): MoveRule => ({
  from,
  to,
  who: { ...nobody, users: [user] },
});

const MOVE: Config['move'] = {
  source: 'http',
  who: { ...nobody, users: ['U0ANA'] },
  rules: [
    rule(['ops'], [], 'U0BEN'),
    rule([], ['web'], 'U0CLEO'),
    rule(['ops', 'fin'], ['web'], 'U0DANA'),
  ],
  projects: [],
  identity: 'require',
  announce: true,
};

/** Full members, all of them. */
const slack = {
  timers: systemTimers,
  timing: TRUE_TIME,
  workspace: { team: 'T0ACME', enterprise: null, teams: [] },
  lookup: fake<Lookup>({
    person: async (id: string) => slackPerson({ id, email: null, displayName: id }),
    isMember: async () => true,
    groupMembers: async () => ({ users: [], missing: null }),
  }),
};

async function codeOf(user: string, way: Way, move: Config['move'] = MOVE) {
  const permission = await mayMove(
    coreWith({ ...slack, config: { move } }),
    { user, channel: 'C0DEPLOYS', isAccountRead: true },
    way,
  );
  return permission.kind === 'not-allowed' ? permission.code : permission.kind;
}

it.each<[string, Way, string]>([
  ['U0ANA', { from: 'fin', to: 'ops' }, 'allowed'],
  ['U0ANA', { from: null, to: 'ops' }, 'allowed'],
  // Out of one project, to anywhere.
  ['U0BEN', {}, 'allowed'],
  ['U0BEN', { from: 'ops' }, 'allowed'],
  ['U0BEN', { from: 'ops', to: 'fin' }, 'allowed'],
  ['U0BEN', { from: 'fin' }, 'not-from'],
  ['U0BEN', { from: null }, 'not-from'],
  // Into one project, from anywhere.
  ['U0CLEO', { from: 'fin' }, 'allowed'],
  ['U0CLEO', { from: null, to: 'web' }, 'allowed'],
  ['U0CLEO', { from: 'fin', to: 'ops' }, 'not-between'],
  // From some projects into one.
  ['U0DANA', { from: 'fin', to: 'web' }, 'allowed'],
  ['U0DANA', { from: 'fin', to: 'ops' }, 'not-between'],
  ['U0DANA', { from: 'web' }, 'not-from'],
  ['U0DANA', { from: null, to: 'web' }, 'not-between'],
  ['U0EVE', {}, 'not-named'],
])('%s, %j: %s', async (user, way, code) => {
  expect(await codeOf(user, way)).toBe(code);
});

it('without rules, somebody who is not listed is refused as not-named', async () => {
  const move = { ...MOVE, rules: [] };
  expect(await codeOf('U0BEN', { from: 'ops', to: 'web' }, move)).toBe('not-named');
});

it.each<[Way, string]>([
  [{}, 'allowed'],
  [{ from: 'ops', to: 'web' }, 'allowed'],
  [{ from: null }, 'source-unknown'],
  [{ from: 'fin' }, 'source-project'],
  [{ from: 'ops', to: 'fin' }, 'target-project'],
])('only listed projects can be used: %j, %s', async (way, code) => {
  expect(await codeOf('U0ANA', way, { ...MOVE, projects: ['ops', 'web'] })).toBe(code);
});
