import { expect } from 'vitest';
import { startLinesStage } from './lines-stage.ts';
import { ANA, ANAS_ACCOUNT, quietMsOf } from './stage.ts';
import { story } from './story.ts';

const HINT =
  'One test case per line: title, then optionally priority and type, separated by |, or pasted from a table.';

story(
  'case-several case-draft',
  'created test cases without a link are shown with their ids',
  async () => {
    await using stage = await startLinesStage({ link: null });
    await stage.openLines('Checkout');
    await stage.submit({ Lines: 'Pay by card | high\nPay later' });
    await stage.submit();
    expect(await stage.directOf(/All 2/)).toBe(
      [
        ':white_check_mark: *All 2 test cases created* in *Checkout*',
        'Drafts: not in test runs until they are Ready.',
        ':white_check_mark: 1. Pay by card (`<id>`) · High',
        ':white_check_mark: 2. Pay later (`<id>`)',
      ].join('\n'),
    );
  },
);

story(
  'case-several case-draft',
  'lines are previewed, and each one becomes a test case',
  async () => {
    await using stage = await startLinesStage();
    await stage.openLines('Checkout');
    const lines = 'Pay by card | high\nPay later|Manual | low\n\n<!channel>\tExploratory';
    expect(await stage.submit({ Lines: lines, Suite: 'Smoke' })).toBe(
      [
        '*3 test cases* in *Checkout*:',
        '1. Pay by card · High',
        '2. Pay later · Low · Manual',
        '3. &lt;!channel&gt; · Exploratory',
        'Test project: Checkout · eng',
        'Suite: Smoke',
        'Lines: ',
        HINT,
        'More lines',
        '[Create 3]',
      ].join('\n'),
    );
    expect(stage.sent()).toEqual([]);
    expect(await stage.submit()).toBe(
      ':hourglass_flowing_sand: *Received 3 test cases* in *Checkout*. Progress and results will appear in a direct message.',
    );
    const link = (title: string) => `<https://service.example/tp-checkout/<id>|${title}>`;
    expect(await stage.directOf(/All 3/)).toBe(
      [
        ':white_check_mark: *All 3 test cases created* in *Checkout*',
        'Drafts: not in test runs until they are Ready.',
        `:white_check_mark: 1. ${link('Pay by card')} · High`,
        `:white_check_mark: 2. ${link('Pay later')} · Low · Manual`,
        `:white_check_mark: 3. ${link('&lt;!channel&gt;')} · Exploratory`,
      ].join('\n'),
    );
    expect(stage.sent()).toEqual([
      { title: 'Pay by card', priority: 'HIGH', suiteId: 'su-smoke' },
      { title: 'Pay later', priority: 'LOW', type: 'MANUAL', suiteId: 'su-smoke' },
      { title: '<!channel>', type: 'EXPLORATORY', suiteId: 'su-smoke' },
    ]);
    await stage.sandbox.until(() => stage.announced().length > 0);
    expect(stage.announced()).toEqual([
      [
        '3 test cases created in *Checkout* by <profile of U0ANA|Ana>. Drafts: not in test runs until they are Ready.',
        `:white_check_mark: 1. ${link('Pay by card')} · High`,
        `:white_check_mark: 2. ${link('Pay later')} · Low · Manual`,
        `:white_check_mark: 3. ${link('&lt;!channel&gt;')} · Exploratory`,
      ].join('\n'),
    ]);
    expect(stage.directs(ANA)).toHaveLength(1);
  },
);

story('case-several', 'lines that need fixing are marked, and no text is lost', async () => {
  await using stage = await startLinesStage();
  await stage.type('Pay --- by card');
  await stage.press('Several at once');
  await stage.modalOf(/Lines/);
  await stage.choose('Test project', 'tp-search');
  await stage.modalOf(/Test project: Search/);
  expect(await stage.submit({ Lines: 'One | hihg\nTwo\n| low\nThree | low | high' })).toContain(
    [
      ':warning: *3 of 4 lines need fixing: 1, 3, 4.* Nothing was created. Change the marked lines below.',
      ':warning: 1. One | hihg',
      '> "hihg" is neither a priority nor a type. Did you mean High?',
      '2. Two',
      ':warning: 3. | low',
      '> The title is missing.',
      ':warning: 4. Three | low | high',
      '> "high" is one too many. A line has one priority and one type.',
      'Test project: Search · eng',
    ].join('\n'),
  );
  await stage.press('More lines');
  await stage.modalOf(/Lines \(2\)/);
  const twice = await stage.submit({ Lines: 'One', 'Lines (2)': 'Two\nOne' });
  expect(twice).toContain(
    '*3 test cases* in *Search*:\n:warning: 1 line repeats an earlier title: 3. Each becomes a test case.\n1. One\n',
  );
  expect(twice).toContain('[Create 3]');
  expect(await stage.submit({ 'Lines (2)': 'Two\nThree' })).toContain(
    'The lines have changed since the preview. Check them, then create.\n*3 test cases* in *Search*:',
  );
  expect(stage.sent()).toEqual([]);
  await stage.sandbox.workspace.submit({ user: ANA, twice: 'pressed' });
  await stage.directOf(/All 3/);
  expect(stage.titles()).toEqual(['One', 'Two', 'Three']);
});

story(
  'case-several',
  'the title and choices of a single test case are taken over into several',
  async () => {
    await using stage = await startLinesStage();
    const { workspace } = stage.sandbox;
    await stage.type('Pay | twice');
    await stage.modalOf(/Test project/);
    const enter = (input: string, value: string | null) =>
      workspace.choose({ user: ANA, surface: 'modal', input, value });
    await enter('Priority', 'Low');
    await enter('Description or steps', '1. Pay');
    await stage.press('Several at once');
    expect(await stage.modalOf(/no description/)).toContain('Title: ');
    await enter('Description or steps', '');
    await stage.press('Several at once');
    await stage.modalOf(/Lines/);
    await stage.choose('Test project', 'tp-search');
    await stage.modalOf(/Test project: Search/);
    expect(await stage.submit()).toContain('1. Pay | twice · Low\n');
  },
);

story.long(
  'case-several nothing-twice no-message-lies',
  'Try again sends exactly the refused lines; a line that may exist is sent again only on its own button',
  async () => {
    await using stage = await startLinesStage();
    const words = 'title: Too <b>short</b>.';
    stage.trouble('Two', { kind: 'refused', words });
    stage.trouble('Four', { kind: 'dropAfter' });
    stage.trouble('Five', { kind: 'refused', words });
    await stage.create('One\nTwo\nThree\nFour\nFive\nSix');
    const first = await stage.directOf(/2 of 6 failed/);
    expect(first.replaceAll(/<http\S+>/gu, '<link>')).toBe(
      [
        ':warning: *2 of 6 failed* in *Checkout* · 3 created · 1 unknown',
        'Unknown: the service did not say whether they were created. *They may exist. Check the service before you create them again.*',
        'Drafts: not in test runs until they are Ready.',
        ':grey_question: 4. Four · unknown',
        'Create it again',
        ':no_entry_sign: 2. Two',
        '> The service did not accept the test case. It says: “title: Too &lt;b&gt;short&lt;/b&gt;.”',
        ':no_entry_sign: 5. Five',
        '> The service did not accept the test case. It says: “title: Too &lt;b&gt;short&lt;/b&gt;.”',
        ':white_check_mark: 1. <link>',
        ':white_check_mark: 3. <link>',
        ':white_check_mark: 6. <link>',
        'Try those 2 again',
        'Change them',
      ].join('\n'),
    );
    await stage.pressDirect('Try those 2 again');
    expect(await stage.directOf(/1 of 6 unknown/)).toContain('· 5 created');
    expect(stage.titles()).toEqual(['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Two', 'Five']);
    await stage.pressLine(4);
    await stage.directOf(/All 6/);
    expect(stage.titles().slice(8)).toEqual(['Four']);
    const requests = stage.sandbox.service.requests('createTestCase');
    const [lost, again] = requests.filter((_, index) => index === 3 || index === 8);
    expect(Number(again?.at) - Number(lost?.at)).toBeGreaterThan(quietMsOf(stage));
    expect(again?.body).toEqual(lost?.body);
    expect(stage.announced()).toHaveLength(1);
  },
);

story('case-several', 'refused lines can be changed and submitted as new ones', async () => {
  await using stage = await startLinesStage();
  stage.trouble('Two', { kind: 'refused' });
  await stage.create('One\nTwo | high\nThree');
  await stage.directOf(/1 of 3 failed/);
  await stage.pressDirect('Change it');
  expect(await stage.modalOf(/Test project: Checkout/)).toContain('[Preview]');
  expect(await stage.submit()).toContain('1. Two · High\n');
});

story(
  'case-several',
  'an error that concerns the whole project stops the lines, which can be continued later',
  async () => {
    await using stage = await startLinesStage({
      testProjects: [{ id: 'tp-ledger', name: 'Ledger', space: 'fin', suites: [] }],
    });
    const { service } = stage.sandbox;
    await stage.type('');
    await stage.press('Several at once');
    await stage.modalOf(/Lines/);
    await stage.submit({ Lines: 'One\nTwo\nThree' });
    await stage.submit();
    expect(await stage.directOf(/Stopped/)).toBe(
      [
        ':warning: *Stopped: 0 of 3 created* in *Ledger* · 3 not sent',
        "Gatepost's API key cannot create test cases in this Space (403). It says: “You may not write here.” Ask an administrator of the service to give the key write access there.",
        ':heavy_minus_sign: 1. One · not sent',
        ':heavy_minus_sign: 2. Two · not sent',
        ':heavy_minus_sign: 3. Three · not sent',
        'Try those 3 again',
        'Change them',
      ].join('\n'),
    );
    expect(stage.titles()).toEqual(['One']);
    service.permit('fin', { writeTestCases: true });
    await stage.pressDirect('Try those 3 again');
    await stage.directOf(/All 3/);
    expect(stage.titles()).toEqual(['One', 'One', 'Two', 'Three']);
  },
);

story('case-several', 'lines stop after three in a row without a clear answer', async () => {
  await using stage = await startLinesStage();
  stage.sandbox.service.fault({ operation: 'createTestCase', kind: '500' });
  await stage.create('One\nTwo\nThree\nFour\nFive');
  expect(await stage.directOf(/Stopped/)).toMatch(
    /0 of 5 created\* in \*Checkout\* · 3 unknown · 2 not sent/,
  );
  expect(stage.titles()).toEqual(['One', 'Two', 'Three']);
  stage.sandbox.service.clearFaults();
  await stage.pressDirect('Try those 2 again');
  await stage.directOf(/3 of 5 unknown.* 2 created/);
  expect(stage.titles().slice(3)).toEqual(['Four', 'Five']);
});

story.long(
  'case-several',
  'a busy service is retried more often for lines than for one test case',
  async () => {
    await using stage = await startLinesStage();
    stage.sandbox.service.fault({ operation: 'createTestCase', kind: '429', times: 4 });
    await stage.create('One\nTwo');
    await stage.directOf(/All 2/);
    expect(stage.titles()).toEqual(['One', 'One', 'One', 'One', 'One', 'Two']);
  },
);

story.long('case-several', 'lines are sent within the budget, and progress is shown', async () => {
  await using stage = await startLinesStage({ budgetPerMinute: 60 });
  const lines = Array.from({ length: 21 }, (_, index) => `Line ${index + 1}`);
  await stage.create(lines.join('\n'));
  const progress = await stage.directOf(/█.* of 21/);
  expect(progress).toMatch(
    /^:hourglass_flowing_sand: \*Creating 21 test cases\* in \*Checkout\*\n`█+░+` \d+ of 21$/,
  );
  await stage.directOf(/All 21/);
  const times = stage.sandbox.service.requests('createTestCase').map(({ at }) => at);
  // 15 at once after a rest, then one a second.
  expect(Number(times.at(-1)) - Number(times[0])).toBeGreaterThan(3_500);
  expect(stage.titles()).toEqual(lines);
});

story.long(
  'case-several slack-fails',
  'the result is shown even if Slack is away for a while, or the message was deleted',
  async () => {
    await using stage = await startLinesStage();
    const { workspace, service } = stage.sandbox;
    workspace.fault({ method: 'chat.update', kind: '500', times: 3 });
    await stage.create('One\nTwo');
    await stage.directOf(/All 2/);
    service.fault({ operation: 'createTestCase', kind: 'latency', ms: 1_500 });
    await stage.create('Three\nFour\nFive');
    await stage.directOf(/Creating 3/);
    const [last] = workspace.directMessages(ANA).slice(-1);
    workspace.deleteMessage(`D${ANA.slice(1)}`, last?.ts ?? '');
    await stage.directOf(/All 3/);
    expect(stage.titles()).toEqual(['One', 'Two', 'Three', 'Four', 'Five']);
  },
);

story(
  'case-account case-several no-message-lies',
  'a person deactivated in the service after the preview creates no lines',
  async () => {
    await using stage = await startLinesStage();
    const { service, workspace } = stage.sandbox;
    stage.trouble('Two', { kind: 'refused' });
    await stage.create('One\nTwo');
    await stage.directOf(/1 of 2 failed/);
    service.setUser(ANAS_ACCOUNT, { active: false });
    const before = workspace.calls().length;
    await stage.pressDirect('Try the failed one again');
    await stage.directOf(/Your account in the service is deactivated/);
    service.setUser(ANAS_ACCOUNT, { active: true });
    await stage.openLines('Checkout');
    await stage.submit({ Lines: 'Three\nFour' });
    service.setUser(ANAS_ACCOUNT, { active: false });
    await stage.submit();
    expect(await stage.directOf(/0 of 2 created/)).toMatch(
      /^:warning: \*Stopped: 0 of 2 created\* in \*Checkout\* · 2 not sent\nYour account in the service is deactivated\. Type/,
    );
    expect(stage.titles()).toEqual(['One', 'Two']);
    expect(JSON.stringify(workspace.calls().slice(before))).not.toContain('Creating');
  },
);
