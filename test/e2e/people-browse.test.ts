import { expect } from 'vitest';
import { type AccountsStage, startAccountsStage } from './accounts-stage.ts';
import { BEN } from './stage.ts';
import { story } from './story.ts';

story('accounts-find accounts-card', 'somebody is found by name, and has a card', async () => {
  await using stage = await startAccountsStage();
  const { service } = stage.sandbox;
  service.setUser('ana@example.com', { title: 'Lead <b>', department: 'Platform' });
  expect(await stage.see('find REYES')).toBe(
    [
      'Name or e-mail address: ',
      '1 account for "REYES"',
      '*Ana Reyes* · ana@example.com',
      ':large_green_circle: Active · Lead &lt;b&gt; · Platform',
      'Open',
      'All accounts',
      'New account',
      '[Find]',
    ].join('\n'),
  );
  await stage.open(1);
  expect(await stage.modalOf(/External id/)).toBe(
    [
      '*Ana Reyes (ana@example.com)*',
      ':large_green_circle: Active',
      '*E-mail (userName)*\nana@example.com',
      '*Display name*\nAna Reyes',
      '*Formatted name*\nAna Reyes',
      '*First name*\nAna',
      '*Last name*\nReyes',
      '*Job title*\nLead &lt;b&gt;',
      '*Department*\nPlatform',
      '*External id*\n–',
      '*Id*\n6f1c0d00-0000-4000-8000-000000000001',
      'Edit',
      'Deactivate',
      'Back to the list',
    ].join('\n'),
  );
});

story(
  'accounts-find',
  'an address is found even if the service supports no other filter',
  async () => {
    await using stage = await startAccountsStage();
    stage.sandbox.service.setVariant({ scimFilter: 'address' });
    expect(await stage.see('find <mailto:Ben@example.com|Ben@example.com>')).toContain(
      '*Ben Okafor* · ben@example.com',
    );
    expect(stage.sandbox.service.requests('listUsers')).toHaveLength(1);
    await stage.submit({ 'Name or e-mail address': 'cleo@ex' });
    await stage.modalOf(/\*Cleo Martin\*[\s\S]*ignores the filter/);
    await stage.submit({ 'Name or e-mail address': 'nobody' });
    await stage.modalOf(/No account has "nobody" in its name or e-mail address\./);
  },
);

story('accounts-find', 'a name is searched for literally', async () => {
  await using stage = await startAccountsStage();
  stage.sandbox.service.setUser('bot@example.com', { displayName: 'R&D Bot' });
  expect(await stage.see('find R&D')).toContain('*R&amp;D Bot* · bot@example.com');
});

/** More accounts than the seed has. */
function addAccounts({ sandbox }: AccountsStage, count: number): void {
  for (let n = 1; n <= count; n += 1) {
    sandbox.service.setUser(`more${String(n).padStart(3, '0')}@example.com`, {});
  }
}

story('accounts-pages', 'all accounts are shown in pages, forward and back', async () => {
  await using stage = await startAccountsStage();
  addAccounts(stage, 15);
  const asked = () =>
    stage.sandbox.service.requests('listUsers').map(({ body }) => body as { count?: string });
  expect(await stage.see('')).toMatch(/Accounts 1 to 10 of 23\n[\s\S]*Next page/);
  await stage.press('Next page');
  expect(await stage.modalOf(/Accounts 11 to 20 of 23/)).toMatch(/Previous page\nNext page/);
  await stage.press('Next page');
  const last = await stage.modalOf(/Accounts 21 to 23 of 23/);
  expect(last).toContain('more015@example.com');
  expect(last).not.toContain('Next page');
  await stage.press('Previous page');
  await stage.modalOf(/Accounts 11 to 20 of 23/);
  await stage.open(1);
  await stage.modalOf(/more003@example.com[\s\S]*Back to the list/);
  await stage.press('Back to the list');
  await stage.modalOf(/Accounts 11 to 20 of 23/);
  expect(asked().filter(({ count }) => count === '10')).toHaveLength(5);
});

story('accounts-pages accounts-told', 'pages work even if the service ignores paging', async () => {
  await using stage = await startAccountsStage();
  addAccounts(stage, 8);
  stage.sandbox.service.setVariant({ scimPaging: 'ignored' });
  expect(await stage.see('list')).toMatch(/Accounts 1 to 10[\s\S]*ignores paging/);
  await stage.press('Next page');
  const last = await stage.modalOf(/Accounts 11 to 16/);
  expect(last).toContain('more008@example.com');
  expect(last).not.toContain('Next page');
});

story(
  'accounts-pages accounts-told',
  'a repeated page of the service is not shown as a new one',
  async () => {
    await using stage = await startAccountsStage();
    addAccounts(stage, 20);
    const unsaid = { scimPaging: 'ignored', scimPageSize: 10, scimList: 'array' } as const;
    stage.sandbox.service.setVariant(unsaid);
    await stage.see('list');
    await stage.press('Next page');
    expect(await stage.modalOf(/no more accounts/)).toContain('ignores paging');
  },
);

story(
  'accounts-who',
  'a person who is not an administrator is refused in one sentence',
  async () => {
    await using stage = await startAccountsStage({
      administrators: { groups: ['S0REL'], users: [] },
    });
    expect(await stage.see('find ana', 'U0CLEO')).toBe(
      'Only Gatepost administrators can manage accounts. Ask one of them.',
    );
    expect(await stage.see('list', 'U0GUS')).toContain('Guests cannot manage accounts.');
    expect(stage.sandbox.service.requests('listUsers')).toEqual([]);
    expect(await stage.see('find ana', BEN)).toContain('*Ana Reyes*');
  },
);

for (const [what, variant, sentence] of [
  ['closed', { scimAccess: 'forbidden' }, /closed beta, needs an enterprise licence/],
  ['absent', { scimAccess: 'absent' }, /no accounts \(SCIM\) at this address/],
] as const) {
  story(
    'accounts-told',
    `a message says that SCIM is ${what}, and the search can be tried again`,
    async () => {
      await using stage = await startAccountsStage();
      const { service } = stage.sandbox;
      service.setVariant(variant);
      expect(await stage.see('list')).toMatch(sentence);
      service.setVariant({ scimAccess: 'open' });
      await stage.press('Try again');
      await stage.modalOf(/Accounts 1 to 8 of 8/);
    },
  );
}

story('accounts-told', 'a refused or missing SCIM token is reported', async () => {
  await using wrong = await startAccountsStage({ env: { SCIM_TOKEN: 'another' } });
  expect(await wrong.see('list')).toMatch(/did not accept the token[\s\S]*SCIM_TOKEN/);
  await using none = await startAccountsStage({ env: { SCIM_TOKEN: undefined } });
  expect(await none.see('find ana')).toMatch(/no token for the accounts/);
});

story(
  'accounts-told nobody-without-answer',
  'a service that cannot be reached is reported',
  async () => {
    await using stage = await startAccountsStage({ hasDoor: true });
    await stage.door.shut();
    expect(await stage.see('list')).toMatch(/could not be reached/);
    await stage.door.open();
    await stage.press('Try again');
    await stage.modalOf(/Accounts 1 to 8/);
  },
);

story('accounts-find', 'help and unknown words get an answer', async () => {
  await using stage = await startAccountsStage();
  const { workspace } = stage.sandbox;
  await stage.type('help');
  await stage.type('ana');
  await stage.type('fnd ana');
  const [help, strange, near] = workspace.ephemerals('U0DANA').map(({ text }) => text);
  expect(help).toContain('/people find ana');
  expect(strange).toContain('To find somebody, type `/people find ana`.');
  expect(near).toContain('Did you mean `/people find`?');
});

story('accounts-told', 'a service that limits the rate is reported', async () => {
  await using stage = await startAccountsStage();
  stage.sandbox.service.fault({ kind: '429', operation: 'listUsers', times: 1 });
  expect(await stage.see('list')).toMatch(/too busy/);
  await stage.press('Try again');
  await stage.modalOf(/Accounts 1 to 8/);
});
