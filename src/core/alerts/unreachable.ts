import type { MonotonicClock } from '../lib/clock.ts';
import type { OnCall } from '../lib/seen-call.ts';
import type { NewAlert } from './raise-alert.ts';

/**
 * The service cannot be reached, for a reason that retrying does not fix. People only read that it could not be
 * reached; administrators learn why.
 */

/** How long a possibly temporary cause has to last before an alert: less than a press is retried. */
export const LASTING_MS = 20_000;
/** How often one process raises the same alert. The store decides when administrators get it again. */
const RAISE_AGAIN_MS = 60_000;

interface Cause {
  readonly what: string;
  readonly next: string;
  /** It is not temporary. */
  readonly isCertain: boolean;
}

const CAUSES = {
  no_service: {
    what: '`SERVICE_URL` is not set',
    next: 'Set `SERVICE_URL` and restart Gatepost.',
    isCertain: true,
  },
  certificate_expired: {
    what: 'the certificate at `SERVICE_URL` has expired',
    next: 'Renew the certificate, or correct the clock of the machine that Gatepost runs on.',
    isCertain: true,
  },
  certificate_not_yet_valid: {
    what: 'the certificate at `SERVICE_URL` is not valid yet',
    next: 'Check the certificate, and the clock of the machine that Gatepost runs on.',
    isCertain: true,
  },
  certificate_not_trusted: {
    what: 'the certificate at `SERVICE_URL` is not from an authority that Gatepost trusts',
    next: 'Check that the server sends its whole chain of certificates. For an authority of your own set `NODE_EXTRA_CA_CERTS` and restart Gatepost.',
    isCertain: true,
  },
  certificate_of_another_host: {
    what: 'the certificate at `SERVICE_URL` is for another host name',
    next: 'Correct `SERVICE_URL` and restart Gatepost, or install a certificate with this name on the server.',
    isCertain: true,
  },
  proxy_http_407: {
    what: 'the proxy that leads to `SERVICE_URL` does not accept the user name and password that Gatepost has for it, or needs them',
    next: 'Correct the variable that names the proxy (`HTTPS_PROXY`, or `HTTP_PROXY`) and restart Gatepost.',
    isCertain: true,
  },
  tls_failed: {
    what: 'no TLS connection to `SERVICE_URL` can be made',
    next: 'Check that the port of `SERVICE_URL` speaks https, and the TLS settings of the server.',
    isCertain: false,
  },
  unknown_host: {
    what: 'the host name in `SERVICE_URL` is not found',
    next: 'Check DNS on the machine that Gatepost runs on, and `SERVICE_URL`; restart Gatepost if you change it.',
    isCertain: false,
  },
} satisfies Readonly<Record<string, Cause>>;

const BY_CODE: ReadonlyMap<string, Cause> = new Map(Object.entries(CAUSES));

/** Codes of failures that affect every call until somebody fixes the cause. */
export const LASTING_CODES: ReadonlySet<string> = new Set(BY_CODE.keys());

function unreachableAlert(code: string, { what, next }: Cause): NewAlert {
  const about = `service.unreachable.${code}`;
  if (code === 'no_service') {
    return {
      about,
      text: `Approvals of a service wait that Gatepost cannot ask: ${what}. ${next} Then ask the reviewers to press again.`,
    };
  }
  return {
    about,
    text: `Gatepost cannot connect to the service: ${what}. Until it can, the service's approvals cannot be decided, and moves, test cases and account changes fail. Gatepost keeps trying. ${next} Then ask the reviewers to press again.`,
  };
}

/** Watches all calls to the service, and raises an alert when none can get through. */
export function watchService({
  clock,
  raise,
}: {
  readonly clock: MonotonicClock;
  /** Never rejects. */
  readonly raise: (news: NewAlert) => void;
}): OnCall {
  /** By code: since when calls have failed, with none succeeding since. */
  const failingSince = new Map<string, number>();
  const silentUntil = new Map<string, number>();
  return ({ result, code }) => {
    if (result !== 'not-sent') return failingSince.clear();
    const cause = code === null ? undefined : BY_CODE.get(code);
    if (cause === undefined || code === null) return;
    const now = clock.monotonic();
    const since = failingSince.get(code) ?? now;
    failingSince.set(code, since);
    const isLasting = cause.isCertain || now - since >= LASTING_MS;
    if (!isLasting || now < (silentUntil.get(code) ?? now)) return;
    silentUntil.set(code, now + RAISE_AGAIN_MS);
    raise(unreachableAlert(code, cause));
  };
}
