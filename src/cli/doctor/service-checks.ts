import type { Config } from '../../core/config/config.ts';
import { RemoteFailure } from '../../core/lib/failure.ts';
import { connectionFix, NEEDS_TLS } from '../../core/lib/proxies.ts';
import type { ServiceClient } from '../../core/service/service-client.ts';
import { advice, type CheckNeeds, type Found, fine, wrong } from './found.ts';

const ASK_MS = { deadlineMs: 5_000 };

const SKIPPED = fine('skipped: SERVICE_URL is not set');

export async function checkService({ config, service, system }: CheckNeeds): Promise<Found> {
  if (config.service === null) return SKIPPED;
  try {
    const made = `gatepost-doctor-${system.random.uuid()}`;
    const { status, isSameAsNowhere, isKnown } = await service.probe(made, ASK_MS);
    if (isKnown) {
      return wrong(
        'the service returned an approval for an invented token',
        'Check SERVICE_URL and dialect.approval.',
      );
    }
    if (!isSameAsNowhere) return fine(`reachable; it does not know an invented token (${status})`);
    // Its list of users is below the same address.
    if (await lists(service)) {
      return advice(
        `reachable; it answers an invented token and an invented path the same way (${status})`,
        'Try one real approval to be sure that SERVICE_URL is correct.',
      );
    }
    return wrong(
      `it answers an invented token and an invented path the same way (${status})`,
      'Check SERVICE_URL: it is the base address, without /api/….',
    );
  } catch (error) {
    return serviceFailure(
      error,
      config,
      'SERVICE_URL, and dialect.approval.auth where approvals need the key',
    );
  }
}

async function lists({ users }: ServiceClient): Promise<boolean> {
  if (users === null) return false;
  try {
    await users.find('userName', 'doctor@gatepost.invalid', ASK_MS);
    return true;
  } catch (error) {
    if (error instanceof RemoteFailure) return false;
    throw error;
  }
}

function serviceFailure(error: unknown, { service, proxies }: Config, settings: string): Found {
  if (!(error instanceof RemoteFailure)) throw error;
  const { code, detail } = error;
  const words = detail === undefined ? '' : `: “${detail}”`;
  if (error.status === undefined || code === NEEDS_TLS) {
    const fix = service === null ? undefined : connectionFix(code, service.baseUrl, proxies);
    return wrong(`cannot be reached (${code})`, fix ?? 'Check SERVICE_URL and the network.');
  }
  if (error.class === 'unreadable') {
    return wrong(
      'the response is not from the service',
      'Check SERVICE_URL: it is the base address, without /api/….',
    );
  }
  return wrong(`answers ${code}${words}`, `Check ${settings}.`);
}

/** Searches for an address that cannot exist, and reads one page. */
export async function checkScim({ config, service, system }: CheckNeeds): Promise<Found> {
  if (config.service === null) return SKIPPED;
  const { users } = service;
  if (users === null) {
    return advice(
      'SCIM_TOKEN is not set: accounts are not checked',
      'Set SCIM_TOKEN, unless identities come only from identity.overrides.',
    );
  }
  const value = `doctor-${system.random.uuid()}@gatepost.invalid`;
  try {
    const filter = { attribute: 'userName', operator: 'eq', value } as const;
    for await (const { ignoresFilter } of users.pages({ filter }, ASK_MS)) {
      if (!ignoresFilter) break;
      return advice(
        'the service lists its users, but ignores the filter',
        'Every lookup reads the whole list. With thousands of users that can be too slow.',
      );
    }
    return fine('the service lists its users and applies the filter');
  } catch (error) {
    return serviceFailure(error, config, 'SCIM_TOKEN');
  }
}
