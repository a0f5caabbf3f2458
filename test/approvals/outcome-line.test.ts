import { expect, test } from 'vitest';
import { approvalMessage } from '../../src/approvals/message/message.ts';
import { outcomeReply, reasonBlocks } from '../../src/approvals/message/outcome-line.ts';
import { messageSchema } from '../../src/slack/limits.ts';
import { approvalWith, termsWith } from './approvals.ts';

const said = (count: number, text: string) =>
  Array.from({ length: count }, (_, at) => ({ user: `U0PERSON${at}`, text }));

const reasonsOf = (by: readonly string[]) => {
  const reasons = [{ user: 'U0BEN', text: 'No <!here>\nnot today' }];
  return reasonBlocks({ credit: 'certain', by, reasons });
};

test('a reason is quoted line by line, and nothing in it comes alive', () => {
  expect(reasonsOf(['U0BEN'])).toMatchInlineSnapshot(`
    [
      {
        "elements": [
          {
            "elements": [
              {
                "text": "No <!here>
    not today",
                "type": "text",
              },
            ],
            "type": "rich_text_quote",
          },
        ],
        "type": "rich_text",
      },
    ]
  `);
});

test.each([
  ['lines', '.\n'.repeat(500)],
  ['marks', '&'.repeat(1_000)],
])('reasons full of %s fit into the longest message', (_what, text) => {
  const long = 'x'.repeat(5_000);
  const fields = Array.from({ length: 20 }, (_, at) => [`${at}${long}`, long] as const);
  const approval = approvalWith({ title: long, message: long, fields });
  for (const count of [1, 3, 10, 25]) {
    const state = {
      name: 'decided',
      status: 'APPROVED',
      credit: 'certain',
      by: said(count, text).map(({ user }) => user),
      resolvedAt: null,
      reasons: said(count, text),
    } as const;
    const message = approvalMessage('0-AAAAAAAAAAAAAAAA', approval, state, termsWith());
    expect(messageSchema.safeParse(message).error?.issues).toBeUndefined();
  }
});

test('a reason says whose it is where the line above it does not name that person alone', () => {
  const ben = { type: 'rich_text_section', elements: [{ type: 'user', user_id: 'U0BEN' }, {}] };
  expect(reasonsOf(['U0ANA', 'U0BEN'])[0]?.elements[0]).toMatchObject(ben);
  const sent = { credit: 'sent', by: ['U0BEN'], reasons: [{ user: 'U0BEN', text: 'No' }] } as const;
  expect(reasonBlocks(sent)[0]?.elements[0]).toMatchObject(ben);
});

test('the reply says who decided together only where the service said that it was they', () => {
  const reply = (credit: 'certain' | 'sent') =>
    outcomeReply(
      { status: 'APPROVED', credit, by: ['U0ANA', 'U0BEN'], resolvedAt: null },
      { needed: 2, tookMs: 37_000 },
      (user) => user,
    );
  expect(reply('certain')).toBe(
    ':white_check_mark: *Approved* after 37 s · decided by 2 of 2: U0ANA and U0BEN',
  );
  expect(reply('sent')).toBe(':white_check_mark: *Approved* after 37 s');
});
