import { newAccount, type ServiceUser } from './account.ts';

function account(n: number, name: string, userName: string, active = true): ServiceUser {
  const id = `6f1c0d00-0000-4000-8000-${String(n).padStart(12, '0')}`;
  const [givenName = null, familyName = null] = name.split(' ');
  return { ...newAccount(id, userName), active, displayName: name, givenName, familyName };
}

/** Una has no account: she is only in the workspace. Ivo is active there and inactive here. */
export const seedUsers: readonly ServiceUser[] = [
  account(1, 'Ana Reyes', 'ana@example.com'),
  account(2, 'Ben Okafor', 'ben@example.com'),
  account(3, 'Cleo Martin', 'cleo@example.com'),
  account(4, 'Gus Lind', 'gus@example.com'),
  account(5, 'Dana Cole', 'dana@example.com'),
  account(6, 'Della Hart', 'della@example.com', false),
  account(7, 'Stan Weber', 'stan@partner.example'),
  account(8, 'Ivo Novak', 'ivo@example.com', false),
];
