import { expect, it } from 'vitest';
import { addressOf, nowhere, type Place, placeOf } from '../../page/client/place/place.ts';

const at = (address: string): Place => placeOf(new URL(address, 'http://127.0.0.1:3000'));

it.each<[string, Partial<Place>]>([
  ['/', {}],
  ['/?as=U0BEN', { as: 'U0BEN' }],
  ['/archives/C0DEPLOYS?as=U0BEN', { as: 'U0BEN', channel: 'C0DEPLOYS' }],
  ['/archives/C0DEPLOYS/p1763636400000100', { channel: 'C0DEPLOYS', message: '1763636400.000100' }],
  [
    '/archives/C0DEPLOYS/p1763636400000200?thread_ts=1763636400.000100',
    { channel: 'C0DEPLOYS', message: '1763636400.000200', thread: '1763636400.000100' },
  ],
  ['/archives/D0ANA?tab=home', { channel: 'D0ANA', isHome: true }],
])('reads and writes %s', (address, place) => {
  expect(at(address)).toEqual({ ...nowhere, ...place });
  expect(addressOf({ ...nowhere, ...place })).toBe(address);
});

it('reads a permalink as Slack writes it', () => {
  expect(at('/archives/C0X/p1763636400000200?thread_ts=1763636400.000100&cid=C0X')).toMatchObject({
    channel: 'C0X',
    thread: '1763636400.000100',
  });
});

it('an invalid address leads to no place', () => {
  expect(at('/archives/%3Cscript%3E')).toEqual(nowhere);
});
