import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { StoreConfigError, StoreError } from '../../core/store/store.ts';
import { type CheckNeeds, type Found, fine, wrong } from './found.ts';

export async function checkStore(needs: CheckNeeds): Promise<Found> {
  const { config, warnings, advised } = needs;
  const { store: settings } = config;
  const variable = settings.kind === 'redis' ? 'REDIS_URL' : 'DATA_DIR';
  try {
    const store = await needs.store();
    if (store === null)
      return await checkEmptyFolder(settings.kind === 'embedded' ? settings.folder : '');
    const away = await store.ping({ trial: true });
    if (away !== null) throw away.error;
    const where =
      settings.kind === 'redis' ? 'Redis takes writes' : `${resolve(settings.folder)} takes writes`;
    if (warnings.length + advised.length === 0) return fine(where);
    const isStrict = settings.kind === 'redis' && settings.strict && warnings.length > 0;
    return {
      ok: !isStrict,
      detail: [`${where}.`, ...warnings, ...advised].join(' '),
      fix: 'Change these Redis settings; docs/operations.md explains each one.',
    };
  } catch (error) {
    if (error instanceof StoreConfigError) return wrong(error.message, error.fix);
    if (!(error instanceof StoreError)) throw error;
    if (error.shortage !== undefined) {
      return wrong(error.message, 'Check that the store has free disk space and memory.');
    }
    return wrong(
      error.message,
      `Check ${variable}, that the store is running, and that this user can write to it.`,
    );
  }
}

/** Creates nothing: the bot may run as another user. */
async function checkEmptyFolder(folder: string): Promise<Found> {
  let at = resolve(folder);
  while (!(await exists(at)) && dirname(at) !== at) at = dirname(at);
  try {
    if (!(await stat(at)).isDirectory()) throw new Error('no folder');
    await access(at, constants.W_OK);
    return fine(`${resolve(folder)} is empty; the first start fills it`);
  } catch {
    return wrong(
      `${at} cannot be written to`,
      'Set DATA_DIR to a folder that this user can write to.',
    );
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
