import { describe, expect, it } from 'vitest';
import { click, FORM, startStage } from './slack-stage.ts';

describe('a request', () => {
  const go = click('demo.go', undefined);

  async function startCounting() {
    let clicks = 0;
    const stage = await startStage({
      actions: {
        'demo.go': async ({ ack }) => {
          clicks += 1;
          await ack();
        },
      },
    });
    await stage.app.init();
    return Object.assign(stage, { clicks: () => clicks });
  }

  it.each([
    ['signed by somebody else', { secret: 'other' }],
    ['without a signature', { headers: { 'x-slack-signature': '' } }],
    ['of another signature version', { headers: { 'x-slack-signature': 'v1=00' } }],
    ['6 minutes old', { aheadS: -360 }],
    ['6 minutes ahead', { aheadS: 360 }],
    ['without a time', { headers: { 'x-slack-request-timestamp': '' } }],
    ['with a time that is no number', { headers: { 'x-slack-request-timestamp': '1e9' } }],
  ])('%s is refused', async (_, signing) => {
    await using stage = await startCounting();
    expect(await stage.interact(go, signing)).toEqual({ status: 401, text: '' });
    expect(stage.clicks()).toBe(0);
  });

  it.each([{ aheadS: -290 }, { aheadS: 290 }])('within 5 minutes is taken: %o', async (signing) => {
    await using stage = await startCounting();
    expect(await stage.interact(go, signing)).toEqual({ status: 200, text: '' });
    expect(stage.clicks()).toBe(1);
  });

  it('may name a charset', async () => {
    await using stage = await startCounting();
    const text = new URLSearchParams({ payload: JSON.stringify(go) }).toString();
    expect(await stage.sendText(text, `${FORM}; charset=utf-8`)).toMatchObject({ status: 200 });
    expect(stage.clicks()).toBe(1);
  });

  it.each([
    ['text/plain', 'x', 415],
    ['application/json', '{', 400],
    ['application/json', 'null', 400],
    [FORM, 'payload={', 400],
    [FORM, `payload=${'x'.repeat(1024 * 1024)}`, 413],
  ])('of %s that is not to be read is refused', async (contentType, text, expected) => {
    await using stage = await startCounting();
    expect(await stage.sendText(text, contentType)).toMatchObject({ status: expected });
  });

  it('to check the certificate needs no signature and can carry nothing else', async () => {
    await using stage = await startCounting();
    const text = new URLSearchParams({ ssl_check: '1', payload: JSON.stringify(go) }).toString();
    expect(await stage.sendText(text, FORM, { secret: 'other' })).toEqual({
      status: 200,
      text: '',
    });
    expect(stage.clicks()).toBe(0);
  });

  it('to verify the address gets its challenge back', async () => {
    await using stage = await startCounting();
    const answer = await stage.event({ type: 'url_verification', challenge: 'c1' });
    expect(JSON.parse(answer.text)).toEqual({ challenge: 'c1' });
  });

  it('by GET is refused, and the process goes on', async () => {
    await using stage = await startCounting();
    const response = await fetch(stage.endpoint);
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
    expect(await stage.interact(go)).toMatchObject({ status: 200 });
  });
});
