import type { VariableName } from '../../core/config/variables.ts';
import type { System } from '../../core/lib/system.ts';
import { newKey } from '../keys.ts';
import type { SettingsFile } from './settings-file.ts';

/** Makes the key and the secret that are not set, and writes them with `others` in one step. */
export function makeSecrets(
  { settings, system }: { readonly settings: SettingsFile; readonly system: System },
  others: Readonly<Partial<Record<VariableName, string>>> = {},
): void {
  const made: Partial<Record<VariableName, string>> = {
    ...(settings.get('GATEPOST_KEYS') === undefined && { GATEPOST_KEYS: newKey(system.random) }),
    ...(settings.get('GATEPOST_INTAKE_SECRET') === undefined &&
      settings.get('GATEPOST_CONFIG') === undefined && {
        GATEPOST_INTAKE_SECRET: system.random.bytes(24).toString('base64url'),
      }),
    ...others,
  };
  if (Object.keys(made).length > 0) settings.set(made);
}
