import { randomUUID } from 'node:crypto';
import { INTAKE_SECRET } from './environment.ts';

/** Asks for an approval with a new token; without `channel`, in the route's own. `bearer`: instead of the secret. */
export function approvalRequest(channel?: string, bearer = INTAKE_SECRET) {
  const headers = {
    authorization: `Bearer ${bearer}`,
    'content-type': 'application/json',
  };
  const body = JSON.stringify({
    token: randomUUID(),
    title: 'Deploy 4.2 to production',
    message: 'All checks are green. Shall it go out?',
    fields: { Version: '4.2' },
    channel,
  });
  return { method: 'POST', path: '/v1/approvals', headers, body } as const;
}
