import { type Manifest, readManifest } from './manifest.ts';
import { appUser } from './seed.ts';
import { type Memory, putUser } from './world.ts';

/** The app as it is installed in the workspace. Another installation changes the same objects. */
export interface InstalledApp {
  readonly manifest: Manifest;
  /** Granted to the bot. */
  readonly scopes: readonly string[];
  /** Why its tokens are refused; null: they are accepted. */
  readonly refusal: () => 'invalid_auth' | 'token_revoked' | null;
}

/** The part of the handle for the app itself. */
export interface AppHandle {
  /**
   * Creates and installs the app, as on Slack's page for apps; again: with another manifest. Throws if Slack would not
   * accept the manifest.
   */
  install(manifest: string): void;
  /** A person removes the app: its tokens are revoked. */
  revoke(): void;
}

interface AppNeeds {
  readonly manifest: Manifest;
  readonly scopes: readonly string[];
  readonly isInstalled: boolean;
}

export function createInstalledApp(given: AppNeeds): {
  readonly app: InstalledApp;
  readonly handle: (needs: { memory: Memory; changed: () => void }) => AppHandle;
} {
  const manifest = { ...given.manifest };
  const scopes = [...given.scopes];
  let refusal: ReturnType<InstalledApp['refusal']> = given.isInstalled ? null : 'invalid_auth';
  return {
    app: { manifest, scopes, refusal: () => refusal },
    handle: ({ memory, changed }) => ({
      install: (text) => {
        const read = readManifest(text);
        Object.assign(manifest, read);
        scopes.splice(0, scopes.length, ...read.scopes);
        putUser(memory.world, appUser(read.botName));
        refusal = null;
        changed();
      },
      revoke: () => {
        refusal = 'token_revoked';
        changed();
      },
    }),
  };
}
