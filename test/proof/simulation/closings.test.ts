import { expect, test } from 'vitest';
import type { Lapse } from '../../../proof/simulation/evidence.ts';
import { approval, found, message } from './evidence-of.ts';

test('the checker of closed routes reports a message that keeps asking, unless the store lost its request', () => {
  const open = approval({ route: 'prod', effects: [], calls: [], announced: [] });
  const closing = { route: 'prod', from: 20_000, to: 90_000, surelyFrom: 34_000, surelyTo: 80_000 };
  const asking = (lapses: readonly Lapse[]) =>
    found({
      approvals: [open],
      messages: [message([[10_000, ':hourglass: *Waiting for* <@U0ANA> or <@U0BEN>']])],
      presses: [],
      audit: null,
      closings: [closing],
      lapses,
    });
  const ASKED = 'its message asked people while it was closed';
  expect(asking([])).toContain(ASKED);
  expect(asking([{ from: 12_000, at: 15_000, keptAcknowledged: false }])).toContain(ASKED);
  expect(asking([{ from: 9_000, at: 12_000, keptAcknowledged: false }])).not.toContain(ASKED);
});
