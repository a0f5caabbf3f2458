import { expect } from 'vitest';
import { DEPLOYS, readable } from '../support/world.ts';
import { startStage } from './stage.ts';
import { story } from './story.ts';

story(
  'message-content',
  'the message says what is asked, by whom, until when and of whom',
  async () => {
    await using stage = await startStage();
    const expiresAt = '2031-11-21T10:00:00Z';
    const { ts } = await stage.ask({
      title: 'Deploy 4.2 to production',
      message: 'All checks are green.',
      fields: { Version: '4.2', Region: 'eu' },
      link: 'https://ci.example.com/runs/7',
      requestedBy: { name: 'Night shift' },
      expiresAt,
    });
    expect(stage.read(ts)).toBe(
      [
        'Deploy 4.2 to production',
        'All checks are green.',
        '*Version*\n4.2',
        '*Region*\neu',
        `Asked by Night shift · Decide before <!date^${Date.parse(expiresAt) / 1_000}^{date_short_pretty} at {time}|2031-11-21T10:00:00.000Z> · <https://ci.example.com/runs/7|Details>`,
        ':hourglass: *Waiting* · <@U0ANA>, <@U0BEN> can decide',
        'Approve',
        'Reject',
      ].join('\n'),
    );
    expect(stage.sandbox.workspace.message(DEPLOYS, ts)?.text).toBe(
      'Waiting for a decision: Deploy 4.2 to production',
    );
  },
);

story('message-escaped', "other people's text does not come alive anywhere", async () => {
  await using stage = await startStage();
  const evil = '<!channel> <@U0CLEO> <https://evil.example|Details> & more';
  const harmless =
    '&lt;!channel&gt; &lt;@U0CLEO&gt; &lt;https://evil.example|Details&gt; &amp; more';
  const { ts, token } = await stage.ask({
    title: evil,
    message: evil,
    fields: { [evil]: evil },
    requestedBy: { name: evil },
  });
  const prompted = await stage.ask({ prompt: evil });
  const message = stage.sandbox.workspace.message(DEPLOYS, ts);
  const [title, ...others] = message?.blocks ?? [];
  // A plain text shows everything as it is.
  expect(title).toMatchObject({ type: 'header', text: { type: 'plain_text', text: evil } });
  expect(message?.text).toContain(harmless);
  for (const block of others)
    expect(JSON.stringify(block)).not.toMatch(/<!channel|<@U0CLEO|<https/);
  expect(stage.read(ts).split(harmless)).toHaveLength(5);
  expect(stage.read(prompted.ts)).toContain(harmless);
  await stage.click('U0ANA', ts, 'Approve');
  await stage.until(ts, /Approved by/);
  const { workspace } = stage.sandbox;
  await stage.sandbox.until(() => workspace.messages('C0OUTCOMES').length > 0);
  expect(readable(workspace.messages('C0OUTCOMES')[0])).toContain(`*${harmless}*`);
  expect(stage.sandbox.service.approval(token).status).toBe('APPROVED');
});

/** Words that are numbered, so that a lost one is missed. */
function words(name: string, count: number): string {
  return Array.from({ length: count }, (_, at) => `${name}${at}&`).join(' ');
}

story(
  'message-overflow',
  'what does not fit stands in the thread, and nothing is lost',
  async () => {
    await using stage = await startStage();
    const { workspace } = stage.sandbox;
    const sent = {
      title: words('title', 60),
      message: words('message', 1_200),
      fields: Object.fromEntries(
        Array.from({ length: 12 }, (_, at) => [`Field ${at}`, words(`field${at}-`, 60)]),
      ),
    };
    const { ts } = await stage.ask(sent);
    expect(stage.read(ts)).toContain('The rest is in the thread.');
    const replies = () => workspace.thread(DEPLOYS, ts).slice(1).map(readable);
    await stage.sandbox.until(() => replies().join('').includes('field11-59'));
    const rest = replies().join('\n').replaceAll('&amp;', '&').replaceAll('\n', '');
    const shown = stage.read(ts).split('\n')[1]?.replaceAll('&amp;', '&').replace('…', '') ?? '';
    expect(sent.message.startsWith(shown)).toBe(true);
    expect(rest).toContain(sent.message.slice(shown.length));
    expect(rest).toContain(sent.title);
    for (const [name, value] of Object.entries(sent.fields))
      expect(rest).toContain(`*${name}*${value}`);
    await stage.click('U0ANA', ts, 'Approve');
    await stage.until(ts, /Approved by <@U0ANA>/);
  },
);

story(
  'message-prompt dialects',
  "the service's prompt is shown whatever it is called",
  async () => {
    await using stage = await startStage();
    for (const promptField of ['prompt', 'message', 'promptMessage', 'text', 'question']) {
      stage.sandbox.service.setVariant({ promptField, wrapped: promptField === 'text' });
      const { ts } = await stage.ask({ prompt: `Called ${promptField}` });
      expect(stage.read(ts)).toContain(`Called ${promptField}`);
    }
    const { ts } = await stage.ask({ prompt: 'Not this', message: 'But this' });
    expect(stage.read(ts)).toContain('But this');
    expect(stage.read(ts)).not.toContain('Not this');
  },
);
