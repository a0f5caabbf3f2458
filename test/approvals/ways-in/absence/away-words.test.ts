import { expect, test } from 'vitest';
import type { Absence, Notice } from '../../../../src/approvals/electorate/absence.ts';
import {
  awayBlocks,
  everybodyBlocks,
  noticeMessage,
} from '../../../../src/approvals/ways-in/absence/away-words.ts';
import { messageSchema } from '../../../support/slack-limits.ts';
import { textsOf } from '../../../support/world.ts';
import { NOW } from '../../approvals.ts';

const absenceOf = (id: number): Absence => ({
  ...{ v: 1, since: NOW, until: NOW + id * 86_400_000, notices: [], count: 0, lastChangeAt: NOW },
  ids: [`W0${'ANA'.repeat(3)}${id}`, `U0${'ANA'.repeat(3)}${id}`],
  substitute: { ids: [`U0${'BEN'.repeat(3)}${id}`], declinedAt: NOW },
});

test('fits into a message, however many people are away or stand in', () => {
  const all = Array.from({ length: 1_000 }, (_, at) => absenceOf(1_000 - at));
  const blocks = [...awayBlocks({ own: all[0], given: all }), ...everybodyBlocks(all)];
  expect(messageSchema.safeParse({ text: 'Away', blocks }).error).toBeUndefined();
  const texts = textsOf(blocks).join('\n');
  expect(texts).toContain('You also stand in for 990 more.');
  expect(texts).toContain('And 950 more.');
  // Soonest back first, by the id in this workspace.
  expect(texts).toMatch(
    /\*Away now: 1000\*\n• <@U0ANAANAANA1> · until .* · Substitute: <@U0BENBENBEN1> \(declined\)/,
  );
});

test.each<Notice['kind']>(['named', 'back', 'replaced', 'declined', 'away'])(
  'the notice "%s" mentions nobody, whatever somebody’s name is',
  (kind) => {
    const links = { person: () => '<https://acme.slack.com/team/U0ANA|&lt;!here&gt; Ana>' };
    const message = noticeMessage({ kind, of: 'U0ANA', until: NOW }, { ids: ['U0ANA'] }, links);
    expect(messageSchema.safeParse(message).error).toBeUndefined();
    expect(JSON.stringify(message)).not.toMatch(/<@|<!here|<!channel/);
  },
);
