import { describe, expect, test } from 'vitest';
import type { ApprovalBody } from '../../ask/contract/approval-body.ts';
import { approvalRequest } from '../../src/approvals/ways-in/approval-request.ts';

/** What clients are told about bodies is what the intake takes. */

const BODY = {
  key: 'checkout/4711',
  title: 'Deploy 4.2',
  message: 'To production',
  route: 'production',
  channel: 'C0DEPLOYS',
  change: 'one line',
  cutFrom: { lines: 2, sha256: '0'.repeat(64) },
  fields: { version: '4.2' },
  link: 'https://ci.example.com/4711',
  requestedBy: { login: 'octocat', at: 'github', name: 'The Octocat' },
  reviewers: { users: ['U0ANA'], groups: ['S0SRE'], emails: ['ben@example.com'] },
  quorum: 2,
  need: [{ name: 'SRE', of: { groups: ['S0SRE'] }, count: 1 }],
  supersedes: 'production',
  expiresAt: '2030-01-01T10:00:00.000Z',
} satisfies Required<Omit<ApprovalBody, 'token'>>;

describe('the body of a request', () => {
  test('is taken as it is with every member that clients send', () => {
    expect(approvalRequest.parse(BODY)).toEqual(BODY);
  });

  test('is taken with a token in place of the key', () => {
    const { key: _, ...rest } = BODY;
    const body = { ...rest, token: 'token-1' } satisfies ApprovalBody;
    expect(approvalRequest.parse(body)).toEqual(body);
  });

  test('has no other member', () => {
    expect(Object.keys(BODY).concat('token').toSorted()).toEqual(membersOf(approvalRequest));
  });
});

/** By its JSON schema. */
function membersOf(schema: typeof approvalRequest): string[] {
  const { properties = {} } = schema.toJSONSchema({ io: 'input' });
  return Object.keys(properties).toSorted();
}
