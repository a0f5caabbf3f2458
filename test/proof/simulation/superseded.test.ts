import { describe, expect, test } from 'vitest';
import type { ApprovalSeen, MessageSeen } from '../../../proof/simulation/evidence.ts';
import { AUDIT, approval, call, effect, evidence, found, message, WAITING } from './evidence-of.ts';

const WITHDRAWN = ':no_entry_sign: *Withdrawn*';
const LINK = '<https://x.example.com/archives/C1/p20000000|a newer request>';
/** Asked for and posted at 20 s. */
const newer = (more: Partial<ApprovalSeen> = {}): ApprovalSeen => ({
  ...approval(),
  ...{ name: 'A2', title: 'Deploy 4.3', supersedes: 'checkout', madeAt: 19_000 },
  intake: [{ at: 19_100, answeredAt: 19_200, status: 202, record: 'r2' }],
  ...{ effects: [], calls: [], announced: [] },
  ...more,
});
const posted = message([[20_000, WAITING]], { record: 'r2', ts: '20.000000' });
const older = approval({ supersedes: 'checkout', effects: [], calls: [], announced: [] });
const replaced = (words: string) => ({
  approvals: [older, newer()],
  messages: [
    message([
      [10_000, WAITING],
      [21_000, words],
    ]),
    posted,
  ],
  ...{ presses: [], audit: AUDIT.slice(0, 1) },
});

describe('the checker of newer requests', () => {
  test('accepts an older one that says by which it is replaced', () => {
    expect(found(replaced(`${WITHDRAWN} · replaced by ${LINK}`))).toBe('');
    const misled = replaced(`${WITHDRAWN} · replaced by ${LINK.replace('p20', 'p10')}`);
    const what = 'replaced by C1/p10000000, which is not newer';
    expect(found(misled)).toContain(what);
    // The store may have got it again, and later.
    const lapses = [{ from: 11_000, at: 12_000, keptAcknowledged: true }];
    expect(found({ ...misled, lapses })).not.toContain(what);
  });

  test('accepts one that was asked for first, and stored again after a store had lost it', () => {
    const asked = { at: 5_000, answeredAt: 5_100, status: 202, record: 'r0' };
    const said = replaced(`${WITHDRAWN} · replaced by ${LINK}`);
    const foundWith = (intake: ApprovalSeen['intake']) =>
      found({ ...said, approvals: [older, newer({ intake })] });
    expect(foundWith([asked])).toContain('which is not newer');
    expect(foundWith([asked, ...newer().intake])).not.toContain('which is not newer');
    // A process that stood still took the first request then.
    const unheard = { at: 4_000, answeredAt: null, status: null, record: null };
    const titled = { ...posted.versions[0], text: 'Decision needed: *Deploy 4.3*' };
    const foundAs = (record: string, intake: ApprovalSeen['intake']) => {
      const versions = [{ ...titled, metadata: { record, post: 'message' } }];
      const messages = [...said.messages.slice(0, 1), { ...posted, versions }] as MessageSeen[];
      return found({ ...said, messages, approvals: [older, newer({ intake })] });
    };
    expect(foundAs('r2', [unheard, asked])).not.toContain('which is not newer');
    expect(foundAs('r0', [unheard, asked])).toContain('which is not newer');
    // Or a late copy of it, which the network made.
    expect(foundAs('r2', [asked])).not.toContain('which is not newer');
    expect(foundAs('r0', [asked])).toContain('which is not newer');
  });

  test('reports an older one that stays open', () => {
    const open = replaced(WAITING);
    const what = 'lost A2 is newer and was posted';
    expect(found(open)).toContain(what);
    const withdrawnAt = (at: number) => newer({ withdrawals: [{ at, answeredAt: at + 10 }] });
    expect(found({ ...open, approvals: [older, withdrawnAt(19_900)] })).not.toContain(what);
    expect(found({ ...open, approvals: [older, withdrawnAt(49_000)] })).not.toContain(what);
    expect(found({ ...open, approvals: [older, withdrawnAt(51_000)] })).toContain(what);
  });

  test('reports a newest one that is withdrawn', () => {
    const { approvals, messages, ...rest } = replaced(`${WITHDRAWN} · replaced by ${LINK}`);
    const [main] = messages;
    if (main === undefined) throw new Error('there is no message');
    const also = message(
      [
        [20_000, WAITING],
        [22_000, WITHDRAWN],
      ],
      { record: 'r2', ts: '20.000000' },
    );
    expect(found({ ...rest, approvals, messages: [main, also] })).toContain(
      'false message in C1 said that it is withdrawn',
    );
    // Another name, or of another automation.
    for (const more of [{ supersedes: 'search' }, { isCalledBack: false }]) {
      const others = { ...replaced(WITHDRAWN), approvals: [older, newer(more)] };
      expect(found(others)).toContain('said that it is withdrawn');
    }
  });

  test('reports a decision that is sent long after it', () => {
    const at = 90_000;
    const late = approval({
      supersedes: 'checkout',
      effects: [effect({ at })],
      calls: [call({ operation: 'read', at: at - 1_000, action: null }), call({ at, sentAt: at })],
    });
    const [main, ...others] = evidence().messages;
    if (main === undefined) throw new Error('there is no message');
    const messages = [main, ...others, posted];
    const sent = { approvals: [late, newer()], messages };
    expect(found(sent)).toContain('false approve was sent long after A2 had replaced it');
  });
});
