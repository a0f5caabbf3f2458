import { expect } from 'vitest';
import { type AccountsStage, startAccountsStage } from './accounts-stage.ts';
import { quietMsOf } from './stage.ts';
import { story } from './story.ts';

/** Fills the form for a new account in, and looks what would happen. */
async function look(stage: AccountsStage, address: string, values: Record<string, string> = {}) {
  await stage.see(`create ${address}`);
  await stage.submit(values);
  return stage.modalOf(/Change it/);
}

story('accounts-create', 'a new account is previewed, created, and reported as new', async () => {
  await using stage = await startAccountsStage();
  const would = await look(stage, 'nia@example.com', {
    'First name': 'Nia',
    'Last name': 'Okoye',
    'External id': 'ext-9',
  });
  expect(would).toMatch(/^This creates an account for nia@example\.com\.[\s\S]*\[Create\]$/);
  expect(stage.sent('createUser')).toEqual([]);
  await stage.sandbox.workspace.submit({ user: 'U0DANA', twice: 'pressed' });
  expect(await stage.modalOf(/\*Created\*/)).toBe(
    [
      ':white_check_mark: *Created* · Nia Okoye (nia@example.com)',
      'The account is new.',
      'Open account',
      'Back to the list',
    ].join('\n'),
  );
  expect(stage.sent('createUser')).toEqual([
    {
      schemas: ['urn:ietf:params:scim:schemas:core:2.0:User'],
      userName: 'nia@example.com',
      active: true,
      name: { givenName: 'Nia', familyName: 'Okoye' },
      externalId: 'ext-9',
    },
  ]);
});

story('accounts-create', 'an existing account is linked, and reported as linked', async () => {
  await using stage = await startAccountsStage();
  stage.sandbox.service.setVariant({ scimMedia: 'json' });
  expect(await look(stage, 'ANA@example.com')).toMatch(
    /This links to Ana Reyes \(ana@example\.com\), which already exists\.[\s\S]*\[Link\]$/,
  );
  await stage.submit();
  expect(await stage.modalOf(/\*Linked\*/)).toContain('The account already existed.');
});

story(
  'accounts-create',
  'a deactivated account is re-activated, and reported as such',
  async () => {
    await using stage = await startAccountsStage();
    stage.sandbox.service.setVariant({ scimCreateStatus: 201 });
    expect(await look(stage, 'ivo@example.com')).toMatch(
      /This re-activates Ivo Novak[\s\S]*\[Re-activate\]$/,
    );
    await stage.submit();
    expect(await stage.modalOf(/\*Re-activated\*/)).toContain('It is active again.');
    expect(stage.account('ivo@example.com')).toMatchObject({ active: true });
  },
);

story(
  'accounts-create no-message-lies',
  'an account missing from the list may be linked, as said before and after',
  async () => {
    await using stage = await startAccountsStage();
    stage.sandbox.service.setVariant({ scimLists: 'synchronized' });
    expect(await look(stage, 'ivo@example.com')).toContain(
      'If the service has one that it does not list, that account is linked instead, and re-activated if it is deactivated.',
    );
    await stage.submit();
    expect(await stage.modalOf(/\*Created or linked\*/)).toContain(
      'The service created the account, or linked one that it does not list. It does not say which.',
    );
    expect(stage.account('ivo@example.com')).toMatchObject({ active: true });
  },
);

const COLLISION =
  'An account has this address, and the service shows no external id for it. Nothing was linked.';

story('accounts-create', 'a collision is reported before anything is sent', async () => {
  await using stage = await startAccountsStage();
  const would = await look(stage, 'ana@example.com', { 'External id': 'ext-9' });
  expect(would).toContain(COLLISION);
  expect(would).not.toMatch(/\[.*\]$/);
  await stage.press('Change it');
  expect(await stage.modalOf(/\[Preview\]/)).toContain('External id');
  await stage.submit({ 'External id': null });
  await stage.modalOf(/This links to Ana Reyes/);
  expect(stage.sent('createUser')).toEqual([]);
});

for (const scimCollision of [409, 400, 'plain-409'] as const) {
  story(
    'accounts-create',
    `a collision with a hidden account (${scimCollision}) is reported`,
    async () => {
      await using stage = await startAccountsStage();
      stage.sandbox.service.setVariant({ scimLists: 'synchronized', scimCollision });
      await look(stage, 'ana@example.com', { 'External id': 'ext-9' });
      await stage.submit();
      expect(await stage.modalOf(/Not created/)).toContain(
        'The service refused this as a duplicate.',
      );
    },
  );
}

story('accounts-create', 'the preview is checked again before the creation', async () => {
  await using stage = await startAccountsStage();
  const { service } = stage.sandbox;
  await look(stage, 'nia@example.com', { 'Job title': 'Nurse' });
  service.setUser('nia@example.com', { active: false });
  await stage.submit();
  expect(await stage.modalOf(/Not created/)).toContain('would do something else now');
  expect(stage.sent('createUser')).toEqual([]);
  await stage.press('Change it');
  await stage.modalOf(/\[Preview\]/);
  await stage.submit();
  await stage.modalOf(/This re-activates nia/);
  await stage.submit();
  await stage.modalOf(/\*Re-activated\*/);
  expect(stage.account('nia@example.com')).toMatchObject({ title: 'Nurse' });
});

story('accounts-create', 'only an address is required, and no input is lost', async () => {
  await using stage = await startAccountsStage();
  const { workspace, service } = stage.sandbox;
  await stage.see('create nia');
  await stage.submit({ 'First name': 'Nia' });
  expect(Object.values(workspace.modalErrors('U0DANA'))).toEqual([
    'Enter an e-mail address, such as ana@example.com.',
  ]);
  service.setVariant({ scimAccess: 'forbidden' });
  await stage.submit({ 'E-mail (userName)': 'nia@example.com' });
  expect(await stage.modalOf(/closed beta/)).toContain('[Preview]');
  service.setVariant({ scimAccess: 'open' });
  await stage.submit();
  expect(await stage.modalOf(/This creates/)).toContain('*First name*\nNia');
});

for (const [kind, sent, words] of [
  ['dropAfter', 1, 'The service gave no clear answer, but it shows the account like this now.'],
  [
    'unreadable',
    1,
    'The service created the account, or linked one that it does not list. It does not say which.',
  ],
] as const) {
  story(
    'accounts-lost accounts-create',
    `a creation with an unclear response (${kind}) is checked`,
    async () => {
      await using stage = await startAccountsStage();
      stage.sandbox.service.fault({ kind, operation: 'createUser', times: 1 });
      await look(stage, 'nia@example.com');
      await stage.submit();
      expect(await stage.modalOf(/\*Created or linked\*/)).toContain(words);
      expect(stage.sent('createUser')).toHaveLength(sent);
    },
  );
}

story.long(
  'accounts-lost accounts-create',
  'a lost creation is sent once more after it can no longer arrive',
  async () => {
    await using stage = await startAccountsStage();
    stage.sandbox.service.fault({ kind: 'dropBefore', operation: 'createUser', times: 1 });
    await look(stage, 'nia@example.com');
    await stage.submit();
    await stage.modalOf(/\*Created or linked\*/);
    const [first, second, ...more] = stage.sandbox.service.requests('createUser');
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThan(quietMsOf(stage));
    expect(more).toEqual([]);
  },
);

story.long('accounts-lost', 'a lost re-activation is sent again only by a person', async () => {
  await using stage = await startAccountsStage();
  stage.sandbox.service.fault({ kind: 'dropBefore', operation: 'createUser', times: 1 });
  await look(stage, 'ivo@example.com');
  await stage.submit();
  await stage.modalOf(/Not created/);
  expect(stage.sent('createUser')).toHaveLength(1);
  await stage.press('Try again');
  await stage.modalOf(/\*Re-activated\*/);
});
