import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { platform } from 'node:os';
import { parse } from 'yaml';
import type { FeatureName } from '../../app/features.ts';
import { readManifest } from '../manifest.ts';

/** The file beside the settings that holds the manifest that Slack was given. */
export const MANIFEST_FILE = 'slack-app.json';

/** Longer ones are cut off by browsers and proxies. */
export const LINK_MAX = 8_000;

export interface AppLink {
  readonly link: string;
  /** The manifest, as JSON to paste. */
  readonly manifest: string;
}

/** A link to Slack's page that creates the app of this manifest. `base`: null for Socket Mode. */
export async function appLink(
  apiUrl: string | null,
  base: string | null,
  features: readonly FeatureName[] | undefined,
): Promise<AppLink> {
  const manifest: unknown = parse(await readManifest(base, features));
  const encoded = encodeURIComponent(JSON.stringify(manifest));
  return {
    link: `${appsPage(apiUrl)}?new_app=1&manifest_json=${encoded}`,
    manifest: `${JSON.stringify(manifest, null, 2)}\n`,
  };
}

/** Slack's page for apps, which is at another host than its Web API. */
export function appsPage(apiUrl: string | null): string {
  const { origin, hostname } = new URL(apiUrl ?? 'https://slack.com/api/');
  return /^slack(-gov)?\.com$/.test(hostname) ? `https://api.${hostname}/apps` : `${origin}/apps`;
}

type Env = Readonly<Record<string, string | undefined>>;

/** The command that opens an address in a browser; undefined: there is no desktop. */
export function opener(env: Env): readonly [string, ...string[]] | undefined {
  if (platform() === 'darwin') return ['open'];
  if (platform() === 'win32') return ['explorer.exe'];
  return env.DISPLAY || env.WAYLAND_DISPLAY ? ['xdg-open'] : undefined;
}

/** Returns whether it began to open. */
export async function openLink([program, ...words]: readonly [string, ...string[]], link: string) {
  try {
    const child = spawn(program, [...words, link], { stdio: 'ignore', detached: true });
    await once(child, 'spawn');
    child.unref();
    return true;
  } catch {
    return false;
  }
}
