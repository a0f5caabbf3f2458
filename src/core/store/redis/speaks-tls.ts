import { connect } from 'node:tls';
import type { RedisAddress } from '../../lib/redis-address.ts';
import type { Timers } from '../../lib/timers.ts';

const HANDSHAKE_MS = 1_000;
/** The server refuses the handshake in words of TLS, for example because it wants a certificate. */
const ALERT = /ALERT/;

/** Whether a server begins TLS. Sends nothing but a handshake. */
export async function speaksTls(
  { host, port }: RedisAddress['hosts'][number],
  timers: Timers,
): Promise<boolean> {
  // Whom the certificate is for does not matter here.
  const socket = connect({ host, port, rejectUnauthorized: false });
  let cancel = () => {};
  try {
    return await new Promise<boolean>((resolve) => {
      socket.once('secureConnect', () => resolve(true));
      socket.on('error', ({ code = '' }: NodeJS.ErrnoException) => resolve(ALERT.test(code)));
      socket.once('close', () => resolve(false));
      cancel = timers.after(HANDSHAKE_MS, () => resolve(false));
    });
  } finally {
    cancel();
    socket.destroy();
  }
}
