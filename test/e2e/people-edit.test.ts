import { expect } from 'vitest';
import { startAccountsStage } from './accounts-stage.ts';
import { story } from './story.ts';

story('accounts-edit', 'exactly the changed attributes are sent, once', async () => {
  await using stage = await startAccountsStage();
  stage.sandbox.service.setUser('ana@example.com', { title: 'Engineer' });
  await stage.card('ana@example.com');
  await stage.press('Edit');
  const form = await stage.modalOf(/\[Save\]/);
  expect(form).toContain('The e-mail address can only be changed in the service itself.');
  expect(form).toContain('*E-mail (userName)*\nana@example.com');
  expect(form).not.toMatch(/^E-mail/m);
  await stage.sandbox.workspace.submit({
    user: 'U0DANA',
    values: { 'Job title': ' Lead ', Department: 'Platform' },
    twice: 'pressed',
  });
  expect(await stage.modalOf(/\*Changed\*/)).toBe(
    [
      ':white_check_mark: *Changed* · Ana Reyes (ana@example.com)',
      'Job title, Department.',
      'Open account',
      'Back to the list',
    ].join('\n'),
  );
  expect(stage.account('ana@example.com')).toMatchObject({ title: 'Lead', department: 'Platform' });
  expect(stage.sent('patchUser')).toEqual([
    {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations: [
        {
          op: 'replace',
          value: {
            title: 'Lead',
            'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': {
              department: 'Platform',
            },
          },
        },
      ],
    },
  ]);
  await stage.press('Open account');
  await stage.modalOf(/\*Job title\*\nLead/);
});

story(
  'accounts-edit',
  'a single attribute is sent by its path, and an emptied one as empty',
  async () => {
    await using stage = await startAccountsStage();
    stage.sandbox.service.setUser('ana@example.com', { title: 'Engineer', externalId: 'ext-1' });
    await stage.card('ana@example.com');
    await stage.press('Edit');
    await stage.modalOf(/\[Save\]/);
    const { workspace } = stage.sandbox;
    const wrong = () => Object.values(workspace.modalErrors('U0DANA'));
    await stage.submit();
    expect(wrong()).toEqual(['Change something first.']);
    await stage.submit({ 'External id': null });
    expect(wrong()).toEqual(['The external id can be changed but not removed.']);
    await stage.submit({ 'External id': 'ext-1', 'Job title': null });
    await stage.modalOf(/\*Changed\*/);
    expect(stage.sent('patchUser')).toMatchObject([
      { Operations: [{ op: 'replace', path: 'title', value: '' }] },
    ]);
  },
);

story(
  'accounts-edit no-message-lies',
  'changes made by others in the meantime are kept',
  async () => {
    await using stage = await startAccountsStage();
    const { service } = stage.sandbox;
    service.setUser('ana@example.com', { title: 'Engineer' });
    await stage.card('ana@example.com');
    await stage.press('Edit');
    await stage.modalOf(/\[Save\]/);
    service.setUser('ana@example.com', { title: 'Director', department: 'Sales' });
    await stage.submit({ 'Job title': 'Lead' });
    expect(await stage.modalOf(/Not changed/)).toContain(
      'Somebody changed this in the meantime: Job title. Your change was not made.',
    );
    expect(stage.sent('patchUser')).toEqual([]);
    await stage.press('Change it');
    expect(await stage.modalOf(/\[Save\]/)).toContain('• Job title: Director');
    await stage.submit();
    await stage.modalOf(/\*Changed\*/);
    expect(stage.account('ana@example.com')).toMatchObject({ title: 'Lead', department: 'Sales' });
  },
);

story('accounts-edit', 'an attribute that already has the value is not sent', async () => {
  await using stage = await startAccountsStage();
  await stage.card('ana@example.com');
  await stage.press('Edit');
  await stage.modalOf(/\[Save\]/);
  stage.sandbox.service.setUser('ana@example.com', { title: 'Lead' });
  await stage.submit({ 'Job title': 'Lead' });
  expect(await stage.modalOf(/No change/)).toContain('already like this');
  expect(stage.sent('patchUser')).toEqual([]);
});

story('accounts-edit accounts-told', 'a refused change can be corrected', async () => {
  await using stage = await startAccountsStage();
  stage.sandbox.service.setUser('ben@example.com', { externalId: 'ext-1' });
  await stage.card('ana@example.com');
  await stage.press('Edit');
  await stage.modalOf(/\[Save\]/);
  await stage.submit({ 'External id': 'ext-1' });
  expect(await stage.modalOf(/Not changed/)).toMatch(/refused this as a duplicate\. .*external id/);
  await stage.press('Change it');
  await stage.modalOf(/\[Save\]/);
  await stage.submit({ 'External id': 'ext-2' });
  await stage.modalOf(/\*Changed\*/);
  expect(stage.account('ana@example.com')).toMatchObject({ externalId: 'ext-2' });
});

story(
  'accounts-edit no-message-lies',
  'after a response without an account the account is read',
  async () => {
    await using stage = await startAccountsStage();
    stage.sandbox.service.setVariant({ scimPatchStatus: 204, scimFilter: 'ignored' });
    await stage.card('ana@example.com');
    await stage.press('Edit');
    await stage.modalOf(/\[Save\]/);
    await stage.submit({ 'First name': 'Anna' });
    await stage.modalOf(/\*Changed\* · Anna Reyes/);
  },
);

for (const [kind, count, words] of [
  ['dropAfter', 1, 'The service gave no clear answer, but it shows the account like this now.'],
  ['dropBefore', 2, 'Job title.'],
] as const) {
  story('accounts-lost', `a change with a lost response (${kind}) is checked first`, async () => {
    await using stage = await startAccountsStage();
    await stage.card('ana@example.com');
    await stage.press('Edit');
    await stage.modalOf(/\[Save\]/);
    stage.sandbox.service.fault({ kind, operation: 'patchUser', times: 1 });
    await stage.submit({ 'Job title': 'Lead' });
    expect(await stage.modalOf(/\*Changed\*/)).toContain(words);
    expect(stage.sent('patchUser')).toHaveLength(count);
  });
}

story.long(
  'accounts-lost',
  'a change that never arrives is given up, and can be tried again',
  async () => {
    await using stage = await startAccountsStage();
    stage.sandbox.service.setUser('ana@example.com', { title: 'Engineer' });
    await stage.card('ana@example.com');
    await stage.press('Edit');
    await stage.modalOf(/\[Save\]/);
    stage.sandbox.service.fault({ kind: '500', operation: 'patchUser' });
    await stage.submit({ 'Job title': 'Lead' });
    expect(await stage.modalOf(/Not changed/)).toContain(
      'do not show that it was done. Try again.',
    );
    expect(stage.sent('patchUser')).toHaveLength(3);
    stage.sandbox.service.clearFaults();
    await stage.press('Try again');
    await stage.modalOf(/\*Changed\*/);
  },
);

story(
  'accounts-told',
  'a person who closed the modal gets the result in a direct message',
  async () => {
    await using stage = await startAccountsStage();
    const { workspace, service } = stage.sandbox;
    await stage.card('ana@example.com');
    await stage.press('Edit');
    await stage.modalOf(/\[Save\]/);
    service.fault({ kind: 'latency', ms: 900, operation: 'patchUser', times: 1 });
    await stage.submit({ 'Job title': 'Lead' });
    await workspace.closeModal({ user: 'U0DANA' });
    await stage.sandbox.until(() => stage.directs().length > 0, { what: 'a direct message' });
    expect(stage.directs()[0]).toContain('*Changed* · Ana Reyes (ana@example.com)\nJob title.');
  },
);

story(
  'accounts-told no-click-lost',
  'a change reported in a direct message can be tried again there',
  async () => {
    await using stage = await startAccountsStage();
    const { workspace, service } = stage.sandbox;
    await stage.card('ana@example.com');
    await stage.press('Edit');
    await stage.modalOf(/\[Save\]/);
    service.fault({ kind: '429', operation: 'patchUser' });
    await stage.submit({ 'Job title': 'Lead' });
    await workspace.closeModal({ user: 'U0DANA' });
    const directs = (pattern: RegExp) => stage.directs().some((text) => pattern.test(text));
    await stage.sandbox.until(() => directs(/Not changed[\s\S]*too busy[\s\S]*Try again$/), {
      what: 'the end in a direct message',
    });
    expect(stage.sent('patchUser')).toHaveLength(3);
    service.clearFaults();
    const [message] = workspace.directMessages('U0DANA');
    const place = { user: 'U0DANA', channel: 'D0DANA', ts: message?.ts ?? '' };
    await workspace.click({ ...place, label: 'Try again' });
    await stage.sandbox.until(() => directs(/\*Changed\*/), { what: 'the change' });
    expect(stage.directs()).toHaveLength(1);
  },
);

for (const [what, variant, words] of [
  ['closed', { scimAccess: 'forbidden' }, /closed beta, needs an enterprise licence/],
  ['absent', { scimAccess: 'absent' }, /no accounts \(SCIM\) at this address/],
] as const) {
  story('accounts-told', `a change while SCIM is ${what} can be tried again later`, async () => {
    await using stage = await startAccountsStage();
    await stage.card('ana@example.com');
    await stage.press('Edit');
    await stage.modalOf(/\[Save\]/);
    stage.sandbox.service.setVariant(variant);
    await stage.submit({ 'Job title': 'Lead' });
    expect(await stage.modalOf(/Not changed/)).toMatch(words);
    expect(stage.sent('patchUser')).toEqual([]);
    stage.sandbox.service.setVariant({ scimAccess: 'open' });
    await stage.press('Try again');
    await stage.modalOf(/\*Changed\*/);
  });
}
