import { describe, expect, test } from 'vitest';
import { type Mine, myMessage } from '../../../src/operations/accounts/me.ts';
import { readable } from '../../support/world.ts';

const search = { override: null, address: 'ana@example.com', account: null, linkedTo: null };
const una: Mine = {
  user: 'U0UNA',
  state: 'no-account',
  email: 'ana@example.com',
  search: { ...search, identity: { kind: 'none' } },
  logins: [],
};

/** As a person reads it. */
function read(...message: Parameters<typeof myMessage>): string {
  // as: a message that was sent has more
  return readable(myMessage(...message) as Parameters<typeof readable>[0]);
}

describe('/people me', () => {
  test('says what was looked for, and who can help', () => {
    expect(read(una, 'open')).toMatchInlineSnapshot(`
      "*No synchronized account in the service has your e-mail address, so you cannot decide where an account is needed.*
      Gatepost does not see accounts that exist only in the service. An administrator can synchronize yours, give it your address, or link you in the configuration.
      • Looked for: \`ana@example.com\`, your address in Slack
      • Found: no account
      • Linked with: no account
      • Linked by the configuration: no
      Tell an administrator"
    `);
    expect(myMessage(una, 'open').text).toMatchInlineSnapshot(
      `"No synchronized account in the service has your e-mail address, so you cannot decide where an account is needed. Gatepost does not see accounts that exist only in the service. An administrator can synchronize yours, give it your address, or link you in the configuration."`,
    );
  });

  test('lists the logins in other systems that are linked with somebody', () => {
    const logins = [
      { at: 'github', login: 'octocat' },
      { at: 'email', login: 'ana+deploy@example.com' },
    ];
    expect(read({ ...una, logins }, 'open')).toContain(
      '• Your logins: `octocat (GitHub)`, `ana+deploy@example.com`',
    );
  });

  test('says in its text for screen readers that administrators were told', () => {
    expect(read(una, 'told')).not.toContain('Tell an administrator');
    expect(myMessage(una, 'told').text).toMatch(/^The Gatepost administrators have been told/);
  });

  test('says which account somebody is linked to', () => {
    const linked = { kind: 'linked', userId: 'u-1', active: true } as const;
    const found = { ...search, account: 'u-1', linkedTo: 'u-1', identity: linked };
    expect(read({ ...una, state: 'linked', search: found }, 'open')).toMatchInlineSnapshot(`
      "*Gatepost found your account in the service. It is active.*
      • Looked for: \`ana@example.com\`, your address in Slack
      • Found: \`u-1\`
      • Linked with: \`u-1\`
      • Linked by the configuration: no"
    `);
  });

  test("does not show another person's account, and escapes other people's text", () => {
    const facts = { user: 'U0UNA', linkedTo: null, found: 'u-ana', holder: 'U0ANA' };
    const identity = { kind: 'taken', ...facts } as const;
    const email = '<!channel>`*@example.com';
    const found = { ...search, address: email, account: 'u-ana', identity };
    const text = JSON.stringify(
      myMessage({ ...una, state: 'taken', email, search: found }, 'open'),
    );
    for (const hidden of ['u-ana', 'U0ANA', '<!channel>']) expect(text).not.toContain(hidden);
  });
});
