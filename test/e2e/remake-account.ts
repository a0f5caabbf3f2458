import type { Sandbox } from '../../sandbox/sandbox.ts';
import { ANAS_ACCOUNT } from './stage.ts';

/** Somebody recreates Ana's account; returns its id. */
export function remakeAnasAccount({ sandbox: { service } }: { readonly sandbox: Sandbox }): string {
  service.setUser(ANAS_ACCOUNT, { userName: 'ana.before@example.com' });
  service.setUser('ana@example.com', { userName: 'ana@example.com' });
  const { id } = service.users().find(({ userName }) => userName === 'ana@example.com') ?? {};
  if (id === undefined) throw new Error('Ana has no account');
  return id;
}
