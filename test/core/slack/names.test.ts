import { expect, test } from 'vitest';
import { RemoteFailure } from '../../../src/core/lib/failure.ts';
import { system } from '../../../src/core/lib/system.ts';
import type { SlackClient } from '../../../src/core/slack/call-slack.ts';
import type { Lookup } from '../../../src/core/slack/lookup.ts';
import { createNames } from '../../../src/core/slack/names.ts';
import type { SlackPerson } from '../../../src/core/slack/slack-person.ts';
import { fake } from '../../support/fake.ts';
import { slackPerson } from '../../support/slack-person.ts';

const NOBODY = slackPerson({ id: '', teamId: null, email: null, displayName: '' });

/** Slack knows everybody whose id does not end in GONE, and one group. */
function stage({ isSilent = false } = {}) {
  const asked: string[] = [];
  const seen = new Map<string, SlackPerson>();
  const failed = (operation: string) =>
    new RemoteFailure(operation, { class: 'ambiguous', code: 'timeout' });
  let hangs = false;
  const person = async (id: string): Promise<SlackPerson> => {
    asked.push(id);
    if (hangs) await new Promise(() => {});
    if (isSilent || id.endsWith('GONE')) throw failed('users.info');
    const found: SlackPerson = { ...NOBODY, id, displayName: id.slice(2) };
    seen.set(id, found);
    return found;
  };
  const client = fake<SlackClient>({
    apiCall: async (method: string) => {
      asked.push(method);
      if (isSilent) throw failed(method);
      return { ok: true, usergroups: [{ id: 'S0SRE', handle: 'sre' }] };
    },
  });
  const lookup = fake<Lookup>({ known: { person }, lastSeen: (id: string) => seen.get(id) });
  const hang = () => {
    hangs = true;
  };
  return { names: createNames({ ...system, lookup, client }), asked, hang };
}

const EVERYBODY = { users: ['U0ANA', 'U0ANA', 'U0BEN'], groups: ['S0SRE'] };
const NAMED = { U0ANA: 'ANA', U0BEN: 'BEN', S0SRE: '@sre' };

test('people and groups are looked up once', async () => {
  const { names, asked } = stage();
  expect(await names(EVERYBODY)).toEqual(NAMED);
  expect(await names(EVERYBODY)).toEqual(NAMED);
  expect(asked.toSorted()).toEqual(['U0ANA', 'U0BEN', 'usergroups.list']);
});

test('whom Slack does not name is left out', async () => {
  const { names } = stage();
  expect(await names({ users: ['U0GONE', 'U0BEN'], groups: ['S0OLD'] })).toEqual({ U0BEN: 'BEN' });
});

test('what Slack did not tell is not asked for again within a minute', async () => {
  const { names, asked, hang } = stage({ isSilent: true });
  expect(await names(EVERYBODY)).toEqual({});
  hang();
  const before = asked.length;
  expect(await names(EVERYBODY)).toEqual({});
  expect(asked).toHaveLength(before);
});
