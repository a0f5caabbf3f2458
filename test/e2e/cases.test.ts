import { expect } from 'vitest';
import type { Saying } from '../../sandbox/workspace/user-actions.ts';
import { DEPLOYS } from '../support/world.ts';
import { type CaseStage, startCaseStage, TEST_PROJECTS } from './case-stage.ts';
import { ANA, ANAS_ACCOUNT, BEN, quietMsOf } from './stage.ts';
import { story } from './story.ts';

story(
  'case-form case-draft',
  'a test case without a link is shown with its id, to its author and in the channel',
  async () => {
    await using stage = await startCaseStage({ link: null });
    await stage.type('Pay <now>');
    await stage.modalOf(/Test project/);
    await stage.choose('Test project', 'tp-checkout');
    await stage.modalOf(/Suite/);
    await stage.submit();
    expect(await stage.modalOf(/Created/)).toContain(
      ':white_check_mark: *Created* · Pay &lt;now&gt; (`<id>`) in *Checkout*',
    );
    await stage.sandbox.until(() => stage.announced().length > 0);
    expect(stage.announced()[0]).toMatch(
      /\*Created\* by .*\nPay &lt;now&gt; \(`<id>`\) in \*Checkout\*\n/,
    );
  },
);

story('case-form case-draft', 'a form creates exactly what was chosen', async () => {
  await using stage = await startCaseStage();
  await stage.type('Pay by card');
  expect(await stage.modalOf(/Test project/)).toBe(
    [
      'Several at once',
      'Test project: ',
      'Title: ',
      'Description or steps: ',
      'Priority: ',
      'Type: ',
      '[Create]',
    ].join('\n'),
  );
  await stage.choose('Test project', 'tp-checkout');
  expect(await stage.modalOf(/Suite/)).toBe(
    [
      'Several at once',
      'Test project: Checkout · eng',
      'Title: ',
      'Description or steps: ',
      'Priority: ',
      'Type: ',
      'Suite: ',
      '[Create]',
    ].join('\n'),
  );
  await stage.submit({
    'Description or steps': '1. Open\n2. Pay',
    Priority: 'High',
    Suite: 'Smoke',
  });
  expect(await stage.modalOf(/Created/)).toBe(
    [
      ':white_check_mark: *Created* · <https://service.example/tp-checkout/<id>|Pay by card> in *Checkout*',
      'Draft: not in test runs until it is Ready.',
    ].join('\n'),
  );
  expect(stage.sent()).toEqual([
    {
      title: 'Pay by card',
      description: '1. Open\n2. Pay',
      priority: 'HIGH',
      suiteId: 'su-smoke',
    },
  ]);
  await stage.sandbox.until(() => stage.announced().length > 0);
  expect(stage.announced()[0]).toBe(
    ':white_check_mark: *Created* by <profile of U0ANA|Ana>\n<https://service.example/tp-checkout/<id>|Pay by card> in *Checkout*\nDraft: not in test runs until it is Ready.',
  );
  expect(stage.directs(ANA)).toEqual([]);
});

story('case-form', 'a text too long for a title opens a form with the whole text', async () => {
  await using stage = await startCaseStage();
  await stage.type('Pay by card and see the receipt '.repeat(100));
  await stage.modalOf(/Test project/);
  await stage.choose('Test project', 'tp-search');
  await stage.modalOf(/Suite/);
  await stage.submit();
  await stage.modalOf(/Created/);
  const [created] = stage.cases();
  expect(created?.title).toMatch(/^.{220,249} (?:Pay|by|card|and|see|the|receipt)…$/u);
  expect(created?.title.length).toBeLessThanOrEqual(250);
  expect(created?.description).toMatch(/^(Pay by card and see the receipt ){40,}/u);
});

story('case-form', 'changing the project clears the chosen suite', async () => {
  await using stage = await startCaseStage();
  await stage.type('Elsewhere');
  await stage.modalOf(/Test project/);
  await stage.choose('Test project', 'tp-checkout');
  await stage.modalOf(/Suite/);
  // It may be a suite that is not listed.
  const suite = { user: ANA, surface: 'modal', input: 'Suite', value: 'su-smoke' } as const;
  expect(await stage.sandbox.workspace.choose(suite)).toMatchObject({ sent: true });
  await stage.choose('Test project', 'tp-search');
  await stage.modalOf(/Test project: Search/);
  await stage.submit();
  await stage.modalOf(/Created/);
  expect(stage.sent()).toEqual([{ title: 'Elsewhere' }]);
});

/** Checkout, of whose suites only one is listed. */
const ONE_LISTED = TEST_PROJECTS.filter(({ id }) => id === 'tp-checkout').map((project) => ({
  ...project,
  suites: project.suites.slice(0, 1),
}));

story(
  'case-other-suite',
  'a suite that is not listed is typed by its id, and offered once the service took it',
  async () => {
    await using stage = await startCaseStage({ testProjects: ONE_LISTED });
    const { workspace } = stage.sandbox;
    const typing = async (title: string, id: string) => {
      await stage.type(title);
      await stage.modalOf(/Suite/);
      await stage.choose('Suite', '(other)');
      await stage.modalOf(/Id of a suite/);
      return stage.submit({ 'Id of a suite': id });
    };
    // Refused: it is not remembered, and can be corrected.
    await typing('Wrong', 'su-nowhere');
    expect(await stage.modalOf(/did not accept/)).toContain('Id of a suite: ');
    await stage.choose('Suite', 'su-smoke');
    await stage.modalOf(/Suite: .*\n(?!Id of a suite)/);
    await stage.choose('Suite', '(other)');
    await stage.modalOf(/Id of a suite/);
    await stage.submit({ 'Id of a suite': ' su-payment ' });
    await stage.modalOf(/Created/);
    await stage.sandbox.until(() => stage.announced().length === 1);
    await workspace.closeModal({ user: ANA });
    // Offered, and already chosen: nothing has to be typed.
    await stage.type('Next');
    expect(await stage.modalOf(/Suite/)).toContain('Suite: su-payment');
    expect(await stage.modalOf(/Suite/)).not.toContain('Id of a suite');
    await stage.submit();
    await stage.modalOf(/Created/);
    await workspace.closeModal({ user: ANA });
    // It stays offered after another one, in the form and as an option.
    await stage.type('Other --suite Smoke');
    await stage.answerOf(/Other/);
    await stage.sandbox.until(() => stage.announced().length === 3);
    await stage.type('Last --suite su-payment');
    await stage.sandbox.until(() => stage.announced().length === 4);
    expect(stage.cases().map(({ title, suiteId }) => [title, suiteId])).toEqual([
      ['Wrong', 'su-payment'],
      ['Next', 'su-payment'],
      ['Other', 'su-smoke'],
      ['Last', 'su-payment'],
    ]);
  },
);

story('case-other-suite', 'an unlisted suite is kept by the form for several', async () => {
  await using stage = await startCaseStage({ testProjects: ONE_LISTED });
  const { workspace } = stage.sandbox;
  await stage.type('Pay');
  await stage.modalOf(/Suite/);
  await stage.choose('Suite', '(other)');
  await stage.modalOf(/Id of a suite/);
  // Without an id it is not sent as none.
  expect(await stage.submit({ 'Id of a suite': ' ' })).toContain('Enter the id of the suite');
  await stage.submit({ 'Id of a suite': 'su-payment' });
  await stage.modalOf(/Created/);
  await workspace.closeModal({ user: ANA });
  await stage.type('Pay again');
  await stage.modalOf(/Suite/);
  await stage.press('Several at once');
  expect(await stage.modalOf(/Lines/)).toContain('Suite: su-payment');
});

story('case-form nothing-twice', 'a form that arrives twice creates one test case', async () => {
  await using stage = await startCaseStage();
  await stage.type('Once');
  await stage.modalOf(/Test project/);
  await stage.choose('Test project', 'tp-search');
  await stage.modalOf(/Suite/);
  await stage.sandbox.workspace.submit({ user: ANA, values: {}, twice: 'pressed' });
  await stage.modalOf(/Created/);
  await stage.sandbox.until(() => stage.announced().length > 0);
  expect(stage.cases()).toMatchObject([{ title: 'Once' }]);
});

story('case-form', 'a person who closed the form gets the result in a direct message', async () => {
  await using stage = await startCaseStage({ cases: { announce: false } });
  await stage.type('Closed');
  await stage.modalOf(/Test project/);
  await stage.choose('Test project', 'tp-ledger');
  expect(await stage.modalOf(/Id of a suite/)).toContain('Test project: Ledger · fin');
  const { workspace, service } = stage.sandbox;
  service.permit('fin', { writeTestCases: true });
  service.fault({ operation: 'createTestCase', kind: 'latency', ms: 1_500, times: 1 });
  await stage.submit();
  await workspace.closeModal({ user: ANA });
  expect(await stage.directOf(/Created/)).toContain('|Closed> in *Ledger*');
  expect(stage.announced()).toEqual([]);
});

story(
  'case-flags case-draft',
  'options create a test case at once, with exactly what they say',
  async () => {
    await using stage = await startCaseStage();
    const words = 'Pay & go --priority high --type manual --suite "smoke" --project checkout';
    expect(await stage.type(words)).toBe(
      ":hourglass_flowing_sand: Received *Pay &amp; go* for *Checkout*. You'll get the result here or as a direct message.",
    );
    expect(await stage.answerOf(/Created/)).toBe(
      ':white_check_mark: *Created* by <profile of U0ANA|Ana>\n<https://service.example/tp-checkout/<id>|Pay &amp; go> in *Checkout*\nDraft: not in test runs until it is Ready.',
    );
    // It is said once.
    expect(stage.directs(ANA)).toEqual([]);
    const [body, ...more] = stage.sent();
    expect(more).toEqual([]);
    expect(body).toEqual({
      title: 'Pay & go',
      priority: 'HIGH',
      type: 'MANUAL',
      suiteId: 'su-smoke',
    });
  },
);

story(
  'case-flags',
  'every error in the options is listed at once, with the corrected command',
  async () => {
    await using stage = await startCaseStage();
    expect(await stage.type('Pay --prio high --project Checkout')).toBe(
      [
        'Unknown option "--prio". Did you mean --priority? Nothing was created.',
        'Corrected, to copy and send:',
        '```/new-case Pay --priority high --project Checkout```',
      ].join('\n'),
    );
    const words =
      'Pay --priority urgent --sute Smok --type --project Chekout --description Open it';
    expect(await stage.type(words)).toBe(
      [
        'Nothing was created. 6 things need fixing:',
        '• Unknown option "--sute". Did you mean --suite?',
        '• "--type" has no value. Add a value after it.',
        '• "it" belongs to no option. Put the title first, and values of several words in quotes.',
        '• There is no priority "urgent". Use Low, Medium, High, Critical.',
        '• There is no suite "Smok". Did you mean Smoke?',
        '• There is no test project "Chekout". Did you mean Checkout?',
        'To copy, complete (…) and send:',
        '```/new-case Pay --priority … --type … --suite Smoke --project Checkout --description "Open it"```',
      ].join('\n'),
    );
    expect(await stage.type('Pay --priority low')).toBe(
      [
        'The test project is missing. Add --project. Nothing was created.',
        'To copy, complete (…) and send:',
        '```/new-case Pay --priority low --project …```',
      ].join('\n'),
    );
    expect(await stage.type('help')).toMatch(
      /^\*\/new-case\* creates a test case\. It is a draft: not in test runs until it is Ready\./,
    );
    expect(stage.sent()).toEqual([]);
  },
);

story(
  'case-flags',
  'the title ends with its line, and the text below is the description',
  async () => {
    await using stage = await startCaseStage();
    await stage.type('Pay by card --priority low --project Checkout\n1. Open\n2. Pay');
    await stage.answerOf(/Created/);
    await stage.type('Pay later --project Checkout --description "On the 2nd day"');
    await stage.answerOf(/Pay later/);
    expect(stage.sent()).toEqual([
      { title: 'Pay by card', priority: 'LOW', description: '1. Open\n2. Pay' },
      { title: 'Pay later', description: 'On the 2nd day' },
    ]);
  },
);

story('case-offered case-flags', "the form starts with the channel's last choices", async () => {
  await using stage = await startCaseStage();
  await stage.type('First --priority low --suite Payment --project Checkout');
  await stage.answerOf(/Created/);
  await stage.type('');
  // What somebody else chose for this one case says nothing of the next.
  expect(await stage.modalOf(/Test project: Checkout/)).toContain('Priority: \n');
  expect(await stage.modalOf(/Suite/)).toContain('Suite: Payment');
  await stage.type('Second --type exploratory');
  await stage.answerOf(/Second/);
  // The other choices are offered, and sent only when somebody sees them.
  expect(stage.sent()[1]).toEqual({ title: 'Second', type: 'EXPLORATORY' });
});

story('case-flags', 'the only test project need not be named', async () => {
  const [only] = TEST_PROJECTS;
  await using stage = await startCaseStage({ testProjects: only ? [only] : [] });
  await stage.type('Alone --priority low');
  await stage.answerOf(/Created/);
  expect(stage.cases()).toMatchObject([{ title: 'Alone', testProjectId: 'tp-checkout' }]);
});

story(
  'set-up-told',
  'an empty catalogue tells administrators what to add, and others whom to ask',
  async () => {
    await using stage = await startCaseStage({
      testProjects: [],
      config: (given) => ({ ...given, administrators: { users: [], groups: ['S0REL'] } }),
    });
    stage.sandbox.workspace.setUserGroup('S0REL', { users: [ANA] });
    expect(await stage.type('A title --priority low')).toMatch(/Add yours to gatepost\.yaml/);
    await stage.type('');
    expect(await stage.modalOf(/not set up yet/)).toContain('testProjects:');
    expect(await stage.type('A title --priority low', BEN)).toBe(
      '`/new-case` is not set up yet: no test project is listed. Ask a Gatepost administrator.',
    );
    await stage.type('', BEN);
    expect(await stage.modalOf(/not set up yet/, BEN)).not.toContain('gatepost.yaml');
  },
);

story(
  'set-up-told',
  'administrators in a group that Slack does not list are treated like everybody else',
  async () => {
    await using stage = await startCaseStage({
      testProjects: [],
      config: (given) => ({ ...given, administrators: { users: [], groups: ['S0REL'] } }),
    });
    const method = 'usergroups.users.list';
    stage.sandbox.workspace.fault({ kind: 'refused', method, error: 'fatal_error' });
    expect(await stage.type('A title --priority low')).toMatch(/Ask a Gatepost administrator/);
  },
);

story('case-shortcut', 'a message can be turned into a test case', async () => {
  await using stage = await startCaseStage();
  const { workspace } = stage.sandbox;
  const text = [
    '*Card & cash*',
    'Seen by <@U0BEN> at <https://shop.example/pay|the shop>.',
    '1. Open the basket',
    '2) Pay',
  ].join('\n');
  const { ts } = workspace.say({ user: BEN, channel: DEPLOYS, text });
  await workspace.shortcut({ user: ANA, callbackId: 'test-cases.create', channel: DEPLOYS, ts });
  await stage.modalOf(/Test project/);
  await stage.choose('Test project', 'tp-checkout');
  await stage.modalOf(/Suite/);
  await stage.submit();
  await stage.modalOf(/Created/);
  const [created] = stage.cases();
  expect(created?.title).toBe('Card & cash');
  expect(created?.description?.replace(/http\S+archives\S+/u, '<link>')).toBe(
    [
      'Seen by @Ben at the shop (https://shop.example/pay).',
      '',
      'Steps:',
      '1. Open the basket',
      '2) Pay',
      '',
      'From: <link>',
    ].join('\n'),
  );
});

story(
  'case-shortcut',
  'a message with its text in attachments or blocks fills the form',
  async () => {
    await using stage = await startCaseStage();
    const { workspace } = stage.sandbox;
    const { rich, mrkdwn } = {
      rich: (text: string) => ({
        type: 'rich_text',
        elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }],
      }),
      mrkdwn: (text: string) => ({ type: 'mrkdwn', text }),
    };
    const sources: readonly (readonly [
      extra: NonNullable<Saying['extra']>,
      title: string,
      description: string,
    ])[] = [
      [
        {
          bot_id: 'B0MONITOR',
          attachments: [
            {
              title: 'Checkout is slow',
              fallback: 'Checkout is slow: 2 s',
              text: 'Ask <@U0BEN>, *now*',
              fields: [{ title: 'Region', value: '<https://m.example/eu|eu>' }],
            },
          ],
        },
        'Checkout is slow',
        'Ask @Ben, now\nRegion: eu (https://m.example/eu)',
      ],
      [
        {
          bot_id: 'B0MONITOR',
          blocks: [
            { type: 'header', text: { type: 'plain_text', text: 'Checkout & pay' } },
            { type: 'section', fields: [mrkdwn('*Priority:*\nHigh')] },
          ],
        },
        'Checkout & pay',
        'Priority: High',
      ],
      [
        {
          attachments: [
            {
              is_share: true,
              author_name: 'Cleo',
              from_url: 'https://acme.slack.com/archives/C1/p1',
              message_blocks: [{ message: { blocks: [rich('It fails\n1. Open\n2. Pay')] } }],
            },
          ],
        },
        'It fails',
        'Steps:\n1. Open\n2. Pay\n\nForwarded from Cleo, https://acme.slack.com/archives/C1/p1',
      ],
      [
        { files: [{ title: 'checkout.log', preview: '__init__ failed & *died*' }] },
        'checkout.log',
        '__init__ failed & *died*',
      ],
    ];
    for (const [extra, title, description] of sources) {
      const { ts } = workspace.say({ user: BEN, channel: DEPLOYS, text: '', extra });
      await workspace.shortcut({
        user: ANA,
        callbackId: 'test-cases.create',
        channel: DEPLOYS,
        ts,
      });
      await stage.modalOf(/Test project/);
      await stage.choose('Test project', 'tp-checkout');
      await stage.modalOf(/Suite/);
      await stage.submit();
      await stage.modalOf(/Created/);
      const created = stage.cases().at(-1);
      expect(created?.title).toBe(title);
      expect(created?.description?.replace(/\n\nFrom: http\S+$/u, '')).toBe(description);
      await workspace.closeModal({ user: ANA });
    }
  },
);

story(
  'case-refused',
  'a test case that the service refused can be changed in the form',
  async () => {
    await using stage = await startCaseStage({
      testProjects: [{ id: 'tp-search', name: 'Search', space: 'eng', suites: [] }],
    });
    await stage.type('Rank');
    await stage.modalOf(/Id of a suite/);
    await stage.submit({ 'Id of a suite': 'su-nowhere' });
    expect(await stage.modalOf(/did not accept/)).toBe(
      [
        'Several at once',
        'Test project: Search · eng',
        'Title: ',
        'Description or steps: ',
        'Priority: ',
        'Type: ',
        ':no_entry_sign: *Not created* · Rank in *Search*',
        'The service did not accept the test case. Nothing was created. It says: “suiteId is no suite of this test project.” Change it and create it again.',
        'Id of a suite: ',
        '[Create]',
      ].join('\n'),
    );
    await stage.submit({ 'Id of a suite': 'su-ranking' });
    await stage.modalOf(/Created/);
    expect(stage.cases()).toMatchObject([{ title: 'Rank', suiteId: 'su-ranking' }]);
  },
);

story('case-refused', 'an error that belongs to no field is shown above the form', async () => {
  await using stage = await startCaseStage();
  const words = 'Neither title nor type can be so.';
  stage.sandbox.service.fault({ operation: 'createTestCase', kind: 'refused', words, times: 1 });
  await stage.type('Rank');
  await stage.modalOf(/Test project/);
  await stage.choose('Test project', 'tp-search');
  await stage.modalOf(/Suite/);
  await stage.submit();
  expect(await stage.modalOf(/did not accept/)).toMatch(
    /^:no_entry_sign: .*\nThe service did not accept .*“Neither title nor type can be so\.”.*\nSeveral at once\nTest project: Search/u,
  );
  await stage.submit();
  await stage.modalOf(/Created/);
  expect(stage.cases()).toMatchObject([{ title: 'Rank' }]);
});

story('case-refused', 'a test case refused without a form can be changed in one', async () => {
  await using stage = await startCaseStage({
    testProjects: [{ id: 'tp-search', name: 'Search', space: 'eng', suites: [] }],
  });
  await stage.type('Rank --suite su-nowhere');
  await stage.answerOf(/did not accept/);
  await stage.pressDirect('Change it');
  await stage.modalOf(/Id of a suite/);
  await stage.submit({ 'Id of a suite': 'su-ranking' });
  await stage.modalOf(/Created/);
  expect(stage.cases()).toMatchObject([{ title: 'Rank', suiteId: 'su-ranking' }]);
});

story('case-refused', "missing write access is reported in the service's words", async () => {
  await using stage = await startCaseStage({
    testProjects: [{ id: 'tp-ledger', name: 'There', space: 'fin', suites: [] }],
  });
  stage.sandbox.service.permit('fin', { writeTestCases: false });
  await stage.type('Kept --priority low');
  expect(await stage.answerOf(/Not created/)).toMatch(
    /cannot create test cases in this Space.*It says: “[^”]+”(?! Ask)/,
  );
  expect(stage.cases()).toEqual([]);
  stage.sandbox.service.permit('fin', { writeTestCases: true });
  await stage.pressDirect('Try again');
  await stage.answerOf(/Created.*Kept/);
});

story('case-refused', 'a test case refused for one project can be created in another', async () => {
  const [, search] = TEST_PROJECTS;
  const nowhere = { id: 'tp-nowhere', name: 'Nowhere', space: 'eng', suites: [] };
  await using stage = await startCaseStage({ testProjects: search ? [nowhere, search] : [] });
  await stage.type('Kept');
  await stage.modalOf(/Test project/);
  await stage.choose('Test project', 'tp-nowhere');
  await stage.modalOf(/Nowhere/);
  await stage.submit({ 'Description or steps': '1. Open' });
  expect(await stage.modalOf(/Not created/)).toMatch(
    /does not know the Space or the test project.*It says: “/,
  );
  await stage.press('Change it');
  await stage.modalOf(/Test project/);
  await stage.choose('Test project', 'tp-search');
  await stage.modalOf(/Test project: Search/);
  await stage.submit();
  await stage.modalOf(/Created/);
  expect(stage.cases()).toMatchObject([{ title: 'Kept', description: '1. Open' }]);
});

story('case-refused', 'an API key that the service refuses is reported', async () => {
  await using stage = await startCaseStage({
    env: { SERVICE_API_KEY: 'an-old-key-of-the-service' },
  });
  await stage.type('No --priority low --project Checkout');
  expect(await stage.answerOf(/Not created/)).toMatch(
    /did not accept Gatepost's API key.*SERVICE_API_KEY/,
  );
});

for (const kind of ['500', 'dropAfter', 'html'] as const) {
  story.long(
    'case-lost nothing-twice no-message-lies',
    `a test case with a lost response (${kind}) is unknown, and only a person can send it again`,
    async () => {
      await using stage = await startCaseStage();
      const { service } = stage.sandbox;
      service.fault({ operation: 'createTestCase', kind, times: 1 });
      await stage.type('Perhaps --project Checkout --priority low');
      const unknown = await stage.answerOf(/Unknown/);
      expect(unknown).toContain(
        kind === 'dropAfter' ? 'The service did not answer' : 'The service answered with an error',
      );
      expect(unknown).toMatch(/It may exist\. .*Check the service before you create it again\./);
      expect(stage.sent()).toHaveLength(1);
      const sentAt = Number(service.requests('createTestCase')[0]?.at);
      await stage.pressDirect('Create it again');
      expect(await stage.directOf(/Created/)).toContain('An earlier attempt may have created');
      const [first, second, ...more] = service.requests('createTestCase');
      expect(more).toEqual([]);
      expect(second?.body).toEqual(first?.body);
      expect(Number(second?.at) - sentAt).toBeGreaterThan(quietMsOf(stage));
      expect(stage.cases()).toHaveLength(kind === 'dropAfter' ? 2 : 1);
    },
  );
}

story(
  'case-lost',
  'a created test case with an unreadable response is shown without an id',
  async () => {
    await using stage = await startCaseStage();
    stage.sandbox.service.fault({ operation: 'createTestCase', kind: 'unreadable', times: 1 });
    await stage.type('Blurred --project Checkout --priority low');
    expect(await stage.answerOf(/Created/)).toContain('its id is not known');
    expect(stage.cases()).toHaveLength(1);
  },
);

story('case-refused nothing-twice', 'a busy service is retried twice at most', async () => {
  await using stage = await startCaseStage();
  const { service } = stage.sandbox;
  service.fault({ operation: 'createTestCase', kind: '429', times: 1 });
  await stage.type('Later --project Checkout --priority low');
  await stage.answerOf(/Created/);
  expect(stage.sent()).toHaveLength(2);
  service.fault({ operation: 'createTestCase', kind: '429', times: 3 });
  await stage.type('Never --project Checkout --priority low');
  expect(await stage.answerOf(/Not created/)).toContain('too busy');
  expect(stage.sent()).toHaveLength(5);
  await stage.pressDirect('Try again');
  await stage.answerOf(/Created.*Never/);
  expect(stage.cases()).toHaveLength(2);
});

story(
  'case-who nobody-without-answer',
  'a person who is not listed cannot create test cases, and is told',
  async () => {
    await using stage = await startCaseStage();
    await stage.type('Mine', BEN);
    expect(await stage.modalOf(/not on the list/, BEN)).toBe(
      'You are not on the list of people who can create test cases. Ask a Gatepost administrator.',
    );
    await stage.type('Mine --project Checkout --priority low', BEN);
    expect(await stage.answerOf(/Not created/, BEN)).toContain('You are not on the list of people');
    expect(stage.sent()).toEqual([]);
  },
);

const [UNA, IVO] = ['U0UNA', 'U0IVO'];

story(
  'case-account nobody-decides-who-may-not no-message-lies',
  'a person deactivated in or unknown to the service creates nothing and is told why, in every way',
  async () => {
    await using stage = await startCaseStage({
      cases: { who: { users: [UNA, IVO], groups: [], channel: false } },
    });
    const { workspace } = stage.sandbox;
    await stage.type('Mine', UNA);
    expect(await stage.modalOf(/account/, UNA)).toMatch(
      /^No synchronized account in the service has the e-mail address of your Slack profile\. Type/,
    );
    expect(await stage.type('Mine --project Checkout --priority low', UNA)).toMatch(
      /Received \*Mine\*/,
    );
    expect(await stage.answerOf(/Not created/, UNA)).toContain(
      'No synchronized account in the service',
    );
    const { ts } = workspace.say({ user: BEN, channel: DEPLOYS, text: 'Pay by card' });
    await workspace.shortcut({ user: IVO, callbackId: 'test-cases.create', channel: DEPLOYS, ts });
    expect(await stage.modalOf(/account/, IVO)).toMatch(
      /^Your account in the service is deactivated\./,
    );
    expect([...stage.directs(UNA), ...stage.told(UNA)].join()).not.toContain('Creating');
    expect(stage.sent()).toEqual([]);
  },
);

story.long(
  'case-account nobody-decides-who-may-not',
  'a person deactivated after the form opened, or after a lost response, creates nothing',
  async () => {
    await using stage = await startCaseStage();
    const { service, workspace } = stage.sandbox;
    await stage.type('Perhaps --project Checkout --priority low');
    await stage.answerOf(/Created/);
    await stage.type('Late');
    await stage.modalOf(/Test project/);
    service.setUser(ANAS_ACCOUNT, { active: false });
    expect(await stage.submit()).toContain('Checking whether you can');
    expect(await stage.modalOf(/Not created/)).toContain(
      'Your account in the service is deactivated.',
    );
    service.setUser(ANAS_ACCOUNT, { active: true });
    await workspace.closeModal({ user: ANA });
    service.fault({ operation: 'createTestCase', kind: '500', times: 1 });
    await stage.type('Lost --project Checkout --priority low');
    await stage.answerOf(/Unknown/);
    service.setUser(ANAS_ACCOUNT, { active: false });
    await stage.pressDirect('Create it again');
    await stage.answerOf(/is deactivated/);
    expect(stage.sent()).toMatchObject([{ title: 'Perhaps' }, { title: 'Lost' }]);
  },
);

story(
  'case-account nobody-without-answer',
  'an account that cannot be read is neither accepted nor refused',
  async () => {
    await using stage = await startCaseStage();
    const { service } = stage.sandbox;
    service.fault({ operation: 'listUsers', kind: '500' });
    await stage.type('Mine');
    expect(await stage.modalOf(/account/)).toBe(
      'Gatepost could not read your account in the service, so it is not known whether you can create test cases. Nothing was created. Try again in a minute. If it keeps happening, tell a Gatepost administrator.',
    );
    await stage.type('Mine --project Checkout --priority low');
    await stage.answerOf(/Try again$/);
    expect(stage.sent()).toEqual([]);
    service.clearFaults();
    await stage.pressDirect('Try again');
    await stage.answerOf(/Created/);
  },
);

/** A direct message says that the service was too busy; the next try is taken. */
async function refusedOnce(stage: CaseStage): Promise<void> {
  stage.sandbox.service.fault({
    operation: 'createTestCase',
    kind: '429',
    times: 3,
    retryAfter: 0,
  });
  await stage.type('Pay --type manual --project Checkout');
  await stage.answerOf(/Not created/);
}

story(
  'case-refused slack-fails no-message-lies',
  'the message shows the result of another try even if Slack refuses updates for a while',
  async () => {
    await using stage = await startCaseStage();
    await refusedOnce(stage);
    stage.sandbox.workspace.fault({ method: 'chat.update', kind: '500', times: 7 });
    await stage.pressDirect('Try again');
    await stage.answerOf(/\*Created\*/);
    expect(stage.directs(ANA)).toHaveLength(1);
    expect(stage.cases()).toHaveLength(1);
  },
);

story.long(
  'case-refused slack-fails no-message-lies',
  'an update that Slack applies late does not replace the result',
  async () => {
    await using stage = await startCaseStage();
    await refusedOnce(stage);
    const { workspace, service } = stage.sandbox;
    service.fault({ operation: 'createTestCase', kind: '429', times: 1 });
    // Longer than it is waited for.
    workspace.fault({ method: 'chat.update', kind: 'latency', ms: 4_500, times: 1 });
    await stage.pressDirect('Try again');
    await stage.answerOf(/\*Created\*/);
    await stage.answerOf(/Creating…/);
    await stage.answerOf(/\*Created\*/);
    expect(stage.cases()).toHaveLength(1);
  },
);

story('case-refused', 'a second press on Try again changes nothing in the message', async () => {
  await using stage = await startCaseStage();
  const { service, workspace } = stage.sandbox;
  service.fault({ operation: 'createTestCase', kind: '429', times: 3 });
  await stage.type('Twice --project Checkout --priority low');
  await stage.answerOf(/Not created/);
  const [told] = workspace.directMessages(ANA).slice(-1);
  const press = { user: ANA, channel: `D${ANA.slice(1)}`, ts: told?.ts ?? '', label: 'Try again' };
  let goOn = () => {};
  const until = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const sent = service.requests('createTestCase').length;
  service.fault({ operation: 'createTestCase', kind: 'latency', until, times: 1 });
  expect(await workspace.click(press)).toMatchObject({ acknowledged: true });
  await stage.sandbox.until(() => service.requests('createTestCase').length > sent, {
    what: 'the case on its way again',
  });
  expect(await workspace.click(press)).toMatchObject({ acknowledged: true });
  goOn();
  await stage.directOf(/Created.*Twice/);
  expect(workspace.calls('views.open')).toEqual([]);
  expect(stage.directs(ANA).filter((text) => /Nothing was created/.test(text))).toEqual([]);
  expect(stage.cases()).toHaveLength(1);
});
