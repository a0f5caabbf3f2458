import { expect, it } from 'vitest';
import { placeBehind, webAddress } from '../../page/client/text/web-address.ts';

it.each([
  'https://x.example/a?b',
  'http://x.example',
  'mailto:ana@example.com',
  'HTTPS://X.EXAMPLE',
])('opens %s', (text) => {
  expect(webAddress(text)).toBeInstanceOf(URL);
});

it.each([
  'javascript:alert(1)',
  ' javascript:alert(1)',
  'data:text/html,x',
  '/path',
  'https://',
  '',
])('does not open “%s”', (text) => {
  expect(webAddress(text)).toBeUndefined();
});

it('recognizes a permalink into this workspace under any name of this machine', () => {
  const at = (text: string) => placeBehind(new URL(text), '3000');
  const found = { channel: 'C0DEPLOYS', message: '1763636400.000100' };
  for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
    expect(at(`http://${host}:3000/archives/C0DEPLOYS/p1763636400000100`)).toMatchObject(found);
  }
  expect(at('http://127.0.0.1:4000/archives/C0DEPLOYS')).toBeUndefined();
  expect(at('http://x.example:3000/archives/C0DEPLOYS')).toBeUndefined();
  expect(at('http://127.0.0.1:3000/elsewhere')).toBeUndefined();
});
