import { describe, expect, it } from 'vitest';
import { slackClient } from '../slack-client.ts';
import { channel, log, message, pageStage } from './page-stage.ts';

const stage = pageStage();

describe('a message', () => {
  it('is shown when it is posted, and updated', async () => {
    const client = slackClient(stage.sandbox);
    const words =
      ':hourglass: *Waiting* for <@U0BEN> & <!subteam^S0REL>, _1 &lt; 2_ <https://x.example|build>';
    await client.apiCall('chat.postMessage', message(words));
    await log(stage).getByRole('heading', { name: 'Deploy 4.2' }).waitFor();
    expect(await log(stage).textContent()).toContain(
      '⌛ Waiting for @Ben & @release-managers, 1 < 2 build',
    );
    expect(await log(stage).locator('.section strong', { hasText: 'Waiting' }).count()).toBe(1);
    expect(await log(stage).locator('em').textContent()).toBe('1 < 2');
    expect(await log(stage).locator('code').textContent()).toBe('4.2');
    expect(await log(stage).getByRole('link').getAttribute('href')).toBe('https://x.example');
    const ts = stage.sandbox.workspace.messages(channel)[0]?.ts ?? '';
    await client.chat.update({ channel, ts, text: 'Approved by <@U0ANA>' });
    await log(stage).getByText('Approved by @Ana').waitFor();
    expect(await log(stage).getByRole('button', { name: 'Approve' }).count()).toBe(0);
    expect(await log(stage).getByText('edited').count()).toBe(1);
  });

  it('is never interpreted as HTML or script', async () => {
    const text = '<javascript:alert(1)|link> &lt;img src=x onerror=alert(1)&gt; <b>';
    await slackClient(stage.sandbox).chat.postMessage({ channel, text });
    await log(stage).getByText('<img src=x onerror=alert(1)>').waitFor();
    expect(await log(stage).locator('img, script, b, a[href]').count()).toBe(0);
  });

  it('shows its times in the reader’s zone', async () => {
    const seconds = Date.UTC(2026, 0, 15, 23, 30) / 1000;
    const text = `Until <!date^${seconds}^{date_num} {time}|later>`;
    await slackClient(stage.sandbox).chat.postMessage({ channel, text });
    await log(stage).getByText('Until 16/01/2026 00:30').waitFor();
    await stage.page.getByLabel('You are').selectOption('U0CLEO');
    await log(stage).getByText('Until 15/01/2026 18:30').waitFor();
  });

  it('is shown with every block that the bot sends', async () => {
    const plain = (text: string) => ({ type: 'plain_text', text });
    const words = (text: string) => ({ type: 'mrkdwn', text });
    await slackClient(stage.sandbox).apiCall('chat.postMessage', {
      channel,
      text: 'all',
      blocks: [
        { type: 'header', text: plain('Head :tada:') },
        {
          type: 'section',
          text: words('> quoted\n```two\nlines```'),
          fields: [words('A'), plain('*B*')],
        },
        { type: 'divider' },
        { type: 'context', elements: [words('_small_ print'), plain('more')] },
      ],
    });
    await log(stage).getByRole('heading', { name: 'Head 🎉' }).waitFor();
    expect(await log(stage).locator('blockquote').textContent()).toBe('quoted');
    expect(await log(stage).locator('pre').textContent()).toBe('two\nlines');
    expect(await log(stage).locator('.fields > *').allTextContents()).toEqual(['A', '*B*']);
    expect(await log(stage).locator('.context').textContent()).toBe('small printmore');
  });
});

describe('a press', () => {
  it('is sent to the bot as the selected person', async () => {
    await slackClient(stage.sandbox).apiCall('chat.postMessage', message('Waiting'));
    await stage.page.getByLabel('You are').selectOption('U0BEN');
    await log(stage).getByRole('button', { name: 'Approve' }).click();
    await expect.poll(() => stage.app.received.length).toBe(1);
    const body = new URLSearchParams(stage.app.received[0]?.body);
    expect(JSON.parse(body.get('payload') ?? '')).toMatchObject({
      user: { id: 'U0BEN' },
      actions: [{ action_id: 'yes' }],
    });
  });

  it('shows a failure if the bot does not acknowledge it', async () => {
    stage.answer = () => ({ status: 500 });
    await slackClient(stage.sandbox).apiCall('chat.postMessage', message('Waiting'));
    await log(stage).getByRole('button', { name: 'Approve' }).click();
    await log(stage)
      .getByText('Operation failed: the app responded with status code 500.')
      .waitFor();
  });

  it('shows that it is in progress, keeps the focus, and is sent once', async () => {
    const waiting: ((given: { status: number }) => void)[] = [];
    stage.answer = () => new Promise((resolve) => waiting.push(resolve));
    await slackClient(stage.sandbox).apiCall('chat.postMessage', message('Waiting'));
    const approve = log(stage).getByRole('button', { name: 'Approve' });
    await approve.press('Enter');
    await expect.poll(() => waiting.length).toBe(1);
    expect(await approve.getAttribute('aria-busy')).toBe('true');
    await approve.press('Enter');
    for (const give of waiting) give({ status: 200 });
    await expect.poll(() => approve.getAttribute('aria-busy')).toBeNull();
    expect(await approve.evaluate((it) => it === it.ownerDocument.activeElement)).toBe(true);
    expect(stage.app.received).toHaveLength(1);
  });
});
