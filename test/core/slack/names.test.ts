import { expect, test } from 'vitest';
import { RemoteFailure } from '../../../src/core/lib/failure.ts';
import type { Lookup } from '../../../src/core/slack/lookup.ts';
import { createNames } from '../../../src/core/slack/names.ts';
import type { SlackPerson } from '../../../src/core/slack/slack-person.ts';
import { fake } from '../../support/fake.ts';
import { slackPerson } from '../../support/slack-person.ts';

/** Names whose lookups are kept, and answered at once. */
function stage({ fails = false } = {}) {
  const asked: string[] = [];
  const seen = new Map<string, SlackPerson>();
  const person = async (id: string): Promise<SlackPerson> => {
    asked.push(id);
    if (fails) throw new RemoteFailure('users.info', { class: 'refused', code: 'user_not_found' });
    const found: SlackPerson = { ...NOBODY, id, displayName: id.slice(2) };
    seen.set(id, found);
    return found;
  };
  const lookup = fake<Lookup>({ known: { person }, lastSeen: (id: string) => seen.get(id) });
  return { names: createNames(lookup), asked };
}

const NOBODY = slackPerson({ id: '', teamId: null, email: null, displayName: '' });

test('a person not seen before is looked up once, and has a name in the next answer', () => {
  const { names, asked } = stage();
  expect(names(['U0ANA', 'U0ANA', 'U0BEN'])).toEqual({});
  expect(names(['U0ANA', 'U0BEN'])).toEqual({ U0ANA: 'ANA', U0BEN: 'BEN' });
  expect(asked).toEqual(['U0ANA', 'U0BEN']);
});

test('whom Slack does not name keeps their id', async () => {
  const { names, asked } = stage({ fails: true });
  expect(names(['U0GONE'])).toEqual({});
  expect(asked).toEqual(['U0GONE']);
});
