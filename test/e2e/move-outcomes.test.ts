import { expect } from 'vitest';
import type { ServiceFault } from '../../sandbox/service/service-handle.ts';
import { DEPLOYS, readable } from '../support/world.ts';
import { LEDGER, type MoveStage, reviewed, startMoveStage, WEBSITE } from './move-stage.ts';
import { ANA, quietMsOf, sentenceFor } from './stage.ts';
import { story } from './story.ts';

/** How a move ends that the service does not simply carry out. */

const lose = (stage: MoveStage, kind: ServiceFault['kind']) =>
  stage.sandbox.service.fault({ kind, operation: 'moveTask', times: 1 });
/** A service that is away, or refuses everything, would not let the account be read either. */
const NO_ACCOUNTS = { env: { SCIM_TOKEN: undefined } };
const announced = ({ sandbox }: MoveStage) =>
  sandbox.workspace.messages(DEPLOYS).map((message) => readable(message));

story(
  'move-refused no-message-lies',
  'a destination refused to the API key is reported in the words of the service',
  async () => {
    await using stage = await startMoveStage();
    await stage.type('OPS-18 Ledger');
    await stage.modalOf(/Open:/);
    await stage.submit({ Open: 'Draft' });
    await stage.submit();
    expect(await stage.modalOf(/Not moved/)).toBe(
      [
        ':no_entry_sign: *Not moved* · OPS-18 → *Ledger*',
        "Gatepost's API key cannot move this item to that project (403). Nothing was moved. It says: “You may not move this work item to that project.”",
      ].join('\n'),
    );
    expect(stage.item('OPS-18').projectId).not.toBe(LEDGER);
    expect(announced(stage)).toEqual([]);
  },
);

story(
  'move-refused no-token-shown',
  'a refused API key and a missing item are reported',
  async () => {
    await using stage = await startMoveStage({ ...NO_ACCOUNTS, hasDoor: true });
    const { door, sandbox } = stage;
    await reviewed(stage);
    const error = `Who is ${sandbox.credentials.apiKey}?`;
    door.answer((call) => (call === 'other' ? { status: 401, body: { error } } : undefined));
    await stage.submit();
    expect(await stage.modalOf(/Not moved/)).toBe(
      [
        ':no_entry_sign: *Not moved* · OPS-18 → *Website*',
        "The service did not accept Gatepost's API key (401). Nothing was moved. It says: “Who is [token]?” Ask a Gatepost administrator to replace SERVICE_API_KEY.",
      ].join('\n'),
    );
    door.answer(null);
    await sandbox.workspace.closeModal({ user: ANA });
    await reviewed(stage);
    sandbox.service.tasks.remove('OPS-18');
    await stage.submit();
    expect(await stage.modalOf(/does not know/)).toBe(
      [
        ':no_entry_sign: *Not moved* · OPS-18 → *Website*',
        'The service does not know the item or the project (404 or 410). Nothing was moved. It says: “There is no such work item.”',
      ].join('\n'),
    );
  },
);

story(
  'move-changed no-message-lies',
  'a changed item is not moved; reviewing it again keeps choices that still fit',
  async () => {
    await using stage = await startMoveStage();
    const { tasks } = stage.sandbox.service;
    await reviewed(stage);
    const child = tasks.add({ below: 'OPS-18' }, { title: 'One more', status: 'ops-done' });
    tasks.add({ below: 'OPS-18' }, { title: 'And another', status: 'ops-waiting' });
    await stage.submit();
    const refused = await stage.modalOf(/Review again/);
    expect(refused).toBe(
      [
        ':no_entry_sign: *Not moved* · OPS-18 → *Website*',
        'The item or its sub-items have changed since they were read. Since then: 2 sub-items added. Nothing was moved. Review the move again.',
        'Review again',
      ].join('\n'),
    );
    expect(stage.item('OPS-18').key).toBe('OPS-18');

    await stage.press('Review again');
    expect(await stage.modalOf(/Waiting:/)).toBe(
      [
        '*OPS-18* Renew the certificates in *Operations*, with 2 sub-items:',
        '• OPS-20 One more',
        '• OPS-21 And another',
        'Read from the service <date>',
        'To *Website · eng*',
        'What should each status become in Website?',
        'Open: To do',
        '1 item',
        'Done: Done',
        '1 item · suggested: same name',
        'Waiting: ',
        '1 item',
        '[Review]',
      ].join('\n'),
    );
    await stage.submit({ Waiting: 'Doing' });
    await stage.submit();
    await stage.modalOf(/3 items moved/);
    expect(stage.item('OPS-18').projectId).toBe(WEBSITE);
    expect(tasks.item(child.id).status.name).toBe('Done');
  },
);

story(
  'move-changed',
  'a second review leads straight to the button if everything still fits',
  async () => {
    await using stage = await startMoveStage();
    await reviewed(stage);
    stage.sandbox.service.tasks.edit('OPS-18', { title: 'Renew all certificates' });
    await stage.submit();
    await stage.modalOf(/Review again/);
    await stage.press('Review again');
    expect(await stage.modalOf(/Move 1 item/)).toContain('Renew all certificates');
    await stage.submit();
    await stage.modalOf(/1 item moved/);
  },
);

story(
  'move-invalid no-message-lies',
  'a refused status leads back to the statuses, with the words of the service',
  async () => {
    await using stage = await startMoveStage({
      config: ({ catalogue, ...config }) => ({
        ...config,
        catalogue: {
          ...catalogue,
          projects: catalogue.projects.map((project) => ({
            ...project,
            statuses:
              project.id === WEBSITE
                ? [...project.statuses, { id: 'web-gone', name: 'Long gone' }]
                : project.statuses,
          })),
        },
      }),
    });
    await stage.type('OPS-18 Website');
    await stage.modalOf(/Open:/);
    await stage.submit({ Open: 'Long gone' });
    await stage.submit();
    expect(await stage.modalOf(/did not accept/)).toBe(
      [
        ':no_entry_sign: *Not moved* · OPS-18 → *Website*',
        'The service did not accept the move. Nothing was moved. It says: “statusMapping names web-gone, which the destination does not have.”',
        'To *Website · eng*',
        'What should each status become in Website?',
        'Open: Long gone',
        '1 item',
        '[Review]',
      ].join('\n'),
    );
    expect(await stage.submit({ Open: 'Doing' })).toContain('Open (1) → Doing');
    await stage.submit();
    await stage.modalOf(/1 item moved/);
    expect(stage.item('OPS-18').status.name).toBe('Doing');
  },
);

story(
  'move-not-sent',
  'a move is sent a few times while the service cannot be reached',
  async () => {
    await using stage = await startMoveStage({ ...NO_ACCOUNTS, hasDoor: true });
    await reviewed(stage);
    await stage.door.shut();
    await stage.submit();
    expect(await stage.modalOf(/Try again/)).toContain(
      'The service could not be reached. Nothing was moved. Try again in a minute.',
    );
    await stage.door.open();
    await stage.press('Try again');
    await stage.modalOf(/1 item moved/);
    expect(stage.moves()).toHaveLength(1);
  },
);

story('move-not-sent', 'a move is sent twice more while the service is too busy', async () => {
  await using stage = await startMoveStage();
  const { service } = stage.sandbox;
  await reviewed(stage);
  service.fault({ kind: '429', retryAfter: 1, operation: 'moveTask', times: 2 });
  await stage.submit();
  await stage.modalOf(/1 item moved/);
  const sent = service.requests('moveTask');
  expect(sent.map(({ answered }) => answered)).toEqual([429, 429, 200]);
  expect(new Set(sent.map(({ body }) => JSON.stringify(body))).size).toBe(1);
});

for (const kind of ['dropAfter', 'slowAnswer'] as const) {
  story(
    'move-lost nothing-twice no-message-lies',
    `a move with a lost response (${kind}) is found in the destination and not sent again`,
    async () => {
      await using stage = await startMoveStage();
      await reviewed(stage);
      stage.sandbox.service.fault({ kind, ms: 7_000, operation: 'moveTask', times: 1 });
      await stage.submit();
      expect(await stage.modalOf(/Moved/)).toBe(
        [
          ':white_check_mark: *Moved* · OPS-18 → *Website*',
          'OPS-18 → WEB-3. The service gave no clear answer, but the item was found there.',
        ].join('\n'),
      );
      expect(stage.moves()).toHaveLength(1);
      await stage.sandbox.until(() => announced(stage).length > 0);
      expect(announced(stage)[0]).toMatch(
        /^Work item sent to \*Website\* by <[^|>]+\/team\/U0ANA\|Ana>/,
      );
    },
  );
}

for (const kind of ['dropBefore', '500', 'html', 'reset'] as const) {
  story.long(
    'move-lost move-again nothing-twice',
    `a move that never arrived (${kind}) is reported as not moved once it can no longer arrive`,
    async () => {
      await using stage = await startMoveStage();
      await reviewed(stage);
      lose(stage, kind);
      await stage.submit();
      await stage.modalOf(/Checking…/);
      expect(await stage.modalOf(/Not moved/)).toContain('the item is still where it was');
      const [sent] = stage.sandbox.service.requests('moveTask');
      expect(Date.now() - (sent?.at ?? 0)).toBeGreaterThan(quietMsOf(stage));
      await stage.press('Send the same move again');
      await stage.modalOf(/1 item moved/);
      const [first, second, ...more] = stage.moves();
      expect(second).toEqual(first);
      expect(more).toEqual([]);
    },
  );
}

story.long(
  'move-lost move-again no-message-lies',
  'without a read, a lost move is unknown, and sending it again is refused if it had worked',
  async () => {
    await using stage = await startMoveStage({ source: 'push' });
    await report(stage);
    await reviewed(stage);
    lose(stage, 'dropAfter');
    await stage.submit();
    expect(await stage.modalOf(/Unknown/)).toBe(
      [
        ':grey_question: *Unknown* · OPS-18 → *Website*',
        'The service did not answer, so it is not known whether the item was moved. Check <https://service.example/ops/operations/OPS-18|OPS-18>: the old key works wherever it is. You can also send the same move again: if the item was moved, the service refuses it.',
        'Send the same move again',
      ].join('\n'),
    );
    expect(stage.moves()).toHaveLength(1);
    await stage.press('Send the same move again');
    expect(await stage.modalOf(/earlier attempt moved it/)).toMatch(
      /Unknown.*\n.*\|OPS-18>\. If the move is still needed, review it again/,
    );
    const [first, second] = stage.moves();
    expect(second).toEqual(first);
    expect(stage.item('OPS-18').formerKeys).toEqual(['OPS-18']);
    expect(announced(stage)).toEqual([]);
  },
);

story.long(
  'move-again',
  'sending a lost move again moves the item if the first call never arrived',
  async () => {
    await using stage = await startMoveStage({ source: 'push' });
    stage.sandbox.service.setVariant({ moveChecksFirst: 'mapping' });
    await report(stage);
    await reviewed(stage);
    lose(stage, 'dropBefore');
    await stage.submit();
    await stage.modalOf(/Unknown/);
    await stage.press('Send the same move again');
    expect(await stage.modalOf(/Moved/)).toContain('1 item moved');
  },
);

story(
  'move-unreadable no-message-lies',
  'a move with an unreadable success is reported as moved',
  async () => {
    await using stage = await startMoveStage();
    await reviewed(stage);
    lose(stage, 'unreadable');
    await stage.submit();
    expect(await stage.modalOf(/Moved/)).toBe(
      [
        ':white_check_mark: *Moved* · OPS-18 → *Website*',
        "<https://service.example/ops/operations/OPS-18|OPS-18> was moved. The service's answer could not be read, so its new key is not known. The old key keeps working.",
      ].join('\n'),
    );
    expect(stage.item('OPS-18').projectId).toBe(WEBSITE);
    expect(stage.moves()).toHaveLength(1);
  },
);

story.long(
  'move-told nobody-without-answer move-again',
  'a person who closed the modal gets a direct message, which is kept up to date',
  async () => {
    await using stage = await startMoveStage({ source: 'push' });
    const { workspace } = stage.sandbox;
    await report(stage);
    await reviewed(stage);
    stage.sandbox.service.fault({ kind: 'latency', ms: 900, operation: 'moveTask', times: 1 });
    lose(stage, '500');
    await stage.submit();
    await workspace.closeModal({ user: ANA });
    expect(await sentenceFor(stage, ANA)).toMatch(/Unknown.*\n.*not known whether/);
    const [message] = workspace.directMessages(ANA);
    const place = { user: ANA, channel: `D${ANA.slice(1)}`, ts: message?.ts ?? '' };
    await workspace.click({ ...place, label: 'Send the same move again' });
    await stage.sandbox.until(() => /1 item moved/.test(stage.told(ANA).join()), {
      what: 'the message changes',
      timeoutMs: 30_000,
    });
    expect(workspace.directMessages(ANA)).toHaveLength(1);
    expect(readable(workspace.directMessages(ANA)[0])).not.toContain('Send the same');
  },
);

story(
  'move-told',
  'a person who closed the modal is told if another number of items was moved than reviewed',
  async () => {
    await using stage = await startMoveStage({ hasDoor: true, ...NO_ACCOUNTS, source: 'push' });
    const { door, sandbox } = stage;
    await report(stage);
    await reviewed(stage);
    const { id } = stage.item('OPS-18');
    const moved = { id, key: 'WEB-9', spaceSlug: 'eng', projectSlug: 'website' };
    const data = { moved, movedCount: 4, droppedFieldCount: 0 };
    door.answer((call) => (call === 'other' ? { status: 200, body: { data } } : undefined));
    sandbox.workspace.fault({ kind: 'refused', error: 'not_found', method: 'views.update' });
    await stage.submit();
    expect(await sentenceFor(stage, ANA)).toMatch(
      /You reviewed 1 item, and the service says that it moved 4\. Check the sub-items\./,
    );
  },
);

story('move-told', 'in a channel without the bot only the person is told', async () => {
  await using stage = await startMoveStage();
  await stage.type('OPS-18 Website', ANA, 'C0NOBOT');
  await stage.modalOf(/Open:/);
  await stage.submit({ Open: 'To do' });
  await stage.submit();
  expect(await stage.modalOf(/only you were told/)).toMatch(
    /1 item moved\nGatepost cannot post in <#C0NOBOT>, so only you were told\.$/,
  );
});

story('move-once nothing-twice', 'a button pressed or delivered twice moves once', async () => {
  await using stage = await startMoveStage();
  const { workspace } = stage.sandbox;
  for (const [item, twice] of [
    ['PLAT-4', 'delivered'],
    ['OPS-18', 'pressed'],
  ] as const) {
    await stage.type(`${item} Website`);
    await stage.modalOf(/2 items|1 item/);
    await stage.submit(item === 'OPS-18' ? { Open: 'To do' } : { 'In review': 'To do' });
    const submitted = await workspace.submit({ user: ANA, twice });
    expect([submitted, submitted.second]).toMatchObject([
      { acknowledged: true },
      { acknowledged: true },
    ]);
    await stage.modalOf(/1 item moved/);
    await workspace.closeModal({ user: ANA });
  }
  expect(stage.moves()).toHaveLength(2);
  await stage.sandbox.until(() => announced(stage).length === 2);
});

/** The automation reports OPS-18. */
async function report(stage: MoveStage): Promise<void> {
  const { id, key, title, updatedAt, status, projectId } = stage.item('OPS-18');
  const answer = await stage.report({ id, key, title, updatedAt, status: status.id, projectId });
  expect(answer.status).toBe(202);
}
