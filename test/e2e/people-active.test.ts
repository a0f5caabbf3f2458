import { expect } from 'vitest';
import { DANA, startAccountsStage } from './accounts-stage.ts';
import { approves, refused } from './deciders.ts';
import { ANA, BEN } from './stage.ts';
import { story } from './story.ts';

story(
  'accounts-active',
  'an account is deactivated and re-activated after a confirmation',
  async () => {
    await using stage = await startAccountsStage();
    const { workspace } = stage.sandbox;
    await stage.card('ana@example.com');
    const buttons = JSON.stringify(workspace.modal(DANA)?.blocks);
    expect(buttons).toContain('Deactivate Ana Reyes (ana@example.com)?');
    expect(buttons).toContain('Access ends at once. Documents and tasks are kept.');
    await stage.press('Deactivate', DANA, { confirm: false });
    await stage.press('Deactivate', DANA, { twice: 'pressed' });
    expect(await stage.modalOf(/\*Deactivated\*/)).toBe(
      [
        ':white_check_mark: *Deactivated* · Ana Reyes (ana@example.com)',
        'Access has ended. Documents and tasks are kept.',
        'Open account',
        'Back to the list',
      ].join('\n'),
    );
    expect(stage.account('ana@example.com')).toMatchObject({ active: false });
    await stage.press('Open account');
    expect(await stage.modalOf(/Re-activate/)).toContain(':no_entry_sign: Deactivated');
    await stage.press('Re-activate');
    await stage.modalOf(/\*Re-activated\*/);
    expect(stage.account('ana@example.com')).toMatchObject({ active: true });
    expect(stage.sent('patchUser')).toMatchObject([
      { Operations: [{ op: 'replace', path: 'active', value: false }] },
      { Operations: [{ op: 'replace', path: 'active', value: true }] },
    ]);
  },
);

story(
  'accounts-active people-active people-at-click nobody-decides-who-may-not',
  'a person deactivated here is refused at the next click, and decides again once active',
  async () => {
    await using stage = await startAccountsStage();
    await approves(stage, ANA);
    await stage.card('ana@example.com');
    await stage.press('Deactivate');
    await stage.modalOf(/\*Deactivated\*/);
    await refused(stage, ANA, /^Your account in the service is deactivated/);
    await stage.press('Open account');
    await stage.modalOf(/Re-activate/);
    await stage.press('Re-activate');
    await stage.modalOf(/\*Re-activated\*/);
    await approves(stage, ANA);
  },
);

story(
  'accounts-active accounts-lost',
  'a deactivation with a lost response is checked',
  async () => {
    await using stage = await startAccountsStage();
    stage.sandbox.service.fault({ kind: 'dropAfter', operation: 'patchUser', times: 1 });
    await stage.card('ana@example.com');
    await stage.press('Deactivate');
    expect(await stage.modalOf(/\*Deactivated\*/)).toContain('The service gave no clear answer');
    expect(stage.sent('patchUser')).toHaveLength(1);
  },
);

story(
  'accounts-active no-message-lies',
  'the card says if the service does not show whether an account is active',
  async () => {
    await using stage = await startAccountsStage();
    stage.sandbox.service.setVariant({ scimActive: 'missing', scimPatchStatus: 204 });
    expect(await stage.card('ana@example.com')).toMatch(/does not say whether it is active/);
    await stage.press('Deactivate');
    await stage.modalOf(/\*Deactivated\*/);
    expect(stage.account('ana@example.com')).toMatchObject({ active: false });
  },
);

story('accounts-protected', 'nobody can deactivate their own account', async () => {
  await using stage = await startAccountsStage({ administrators: { users: [DANA, ANA] } });
  const own = await stage.see('deactivate dana@example.com');
  expect(own).toContain('This is your own account. Another administrator can deactivate it.');
  expect(own).not.toContain('Deactivate\n');
  expect(await stage.see('deactivate ana@example.com')).toContain('Deactivate');
  await stage.press('Deactivate');
  await stage.modalOf(/\*Deactivated\*/);
  expect(stage.sent('patchUser')).toHaveLength(1);
});

story('accounts-protected', 'nobody can re-activate their own account', async () => {
  await using stage = await startAccountsStage({ administrators: { users: [DANA, ANA] } });
  await stage.card('dana@example.com');
  stage.sandbox.service.setUser('dana@example.com', { active: false });
  const own = await stage.see('activate dana@example.com');
  expect(own).toContain(
    'This is your own account. Another administrator can re-activate it, or it can be re-activated in the service itself.',
  );
  expect(own).not.toContain('Re-activate\n');
  await stage.see('create dana@example.com');
  await stage.submit();
  await stage.modalOf(/This re-activates Dana/);
  await stage.submit();
  expect(await stage.modalOf(/Not created/)).toContain(
    'This is your own account. Ask another administrator to re-activate it, or have it re-activated in the service itself.',
  );
  expect(stage.sent('createUser')).toEqual([]);
  await stage.card('dana@example.com', ANA);
  await stage.press('Re-activate', ANA);
  await stage.modalOf(/\*Re-activated\*/, ANA);
});

story(
  'accounts-protected',
  'nobody can re-activate their own account by creating it, even if it is not listed',
  async () => {
    await using stage = await startAccountsStage();
    const { service } = stage.sandbox;
    service.setUser('dana@example.com', { active: false });
    service.setVariant({ scimLists: 'synchronized' });
    await stage.see('create dana@example.com');
    await stage.submit();
    await stage.modalOf(/This creates an account/);
    await stage.submit();
    expect(await stage.modalOf(/Not created/)).toContain(
      'This is your own account, or would be. Ask another administrator to create or link it.',
    );
    expect(stage.sent('createUser')).toEqual([]);
    expect(stage.account('dana@example.com')).toMatchObject({ active: false });
    service.setVariant({ scimLists: 'everybody', scimActive: 'missing' });
    await stage.see('create dana@example.com');
    await stage.submit();
    await stage.modalOf(/This links to Dana/);
    await stage.submit();
    await stage.modalOf(/Not created/);
    expect(stage.sent('createUser')).toEqual([]);
  },
);

story(
  'accounts-protected',
  'nobody can deactivate the last administrator with an account',
  async () => {
    // Una has no account, Ivo's is not active, and Ben is found by the configuration.
    await using stage = await startAccountsStage({
      administrators: { users: ['U0UNA', 'U0IVO'], groups: ['S0REL'] },
      config: (given) => ({
        ...given,
        identityOverrides: { [BEN]: '6f1c0d00-0000-4000-8000-000000000007' },
      }),
    });
    stage.sandbox.workspace.setUserGroup('S0REL', { users: [BEN] });
    await stage.card('stan@partner.example', 'U0UNA');
    await stage.press('Deactivate', 'U0UNA');
    expect(await stage.modalOf(/Not deactivated/, 'U0UNA')).toContain(
      'No other Gatepost administrator was found whose account is active.',
    );
    await stage.press('Back to the list', 'U0UNA');
    await stage.card('cleo@example.com', 'U0UNA');
    await stage.press('Deactivate', 'U0UNA');
    await stage.modalOf(/\*Deactivated\*/, 'U0UNA');
    expect(stage.account('stan@partner.example')).toMatchObject({ active: true });
  },
);

story(
  'accounts-protected',
  'of two administrators who deactivate each other one stays active',
  async () => {
    await using stage = await startAccountsStage({ administrators: { users: [ANA, BEN] } });
    await stage.card('ben@example.com', ANA);
    await stage.card('ana@example.com', BEN);
    stage.sandbox.service.fault({ kind: 'latency', ms: 1_000, operation: 'patchUser' });
    await Promise.all([stage.press('Deactivate', ANA), stage.press('Deactivate', BEN)]);
    const shown = await Promise.all(
      [ANA, BEN].map((user) => stage.modalOf(/\*(Deactivated|Not deactivated)\*/, user)),
    );
    expect(shown.filter((text) => text.includes('*Deactivated*'))).toHaveLength(1);
    expect(shown.join()).toContain('No other Gatepost administrator was found');
  },
);

story('accounts-who', 'a former administrator changes nothing', async () => {
  const administrators = { users: [], groups: ['S0REL'] };
  await using stage = await startAccountsStage({ administrators });
  await stage.card('cleo@example.com', ANA);
  stage.sandbox.workspace.setUserGroup('S0REL', { users: [BEN] });
  await stage.press('Deactivate', ANA);
  expect(await stage.modalOf(/Not deactivated/, ANA)).toContain('Only Gatepost administrators');
  await stage.press('Back to the list', ANA);
  await stage.modalOf(/^Only Gatepost administrators/, ANA);
  expect(stage.sent('patchUser')).toEqual([]);
});

story('accounts-told', 'a deactivation stops if the administrators cannot be checked', async () => {
  await using stage = await startAccountsStage({
    administrators: { users: [DANA], groups: ['S0REL'] },
  });
  await stage.card('ana@example.com');
  stage.sandbox.workspace.fault({ method: 'usergroups.users.list', kind: '500' });
  await stage.press('Deactivate');
  expect(await stage.modalOf(/Not deactivated/)).toContain(
    'could not check with Slack or the service whether this is allowed',
  );
  expect(stage.sent('patchUser')).toEqual([]);
  stage.sandbox.workspace.clearFaults();
  await stage.press('Try again');
  await stage.modalOf(/\*Deactivated\*/);
});
