import { request } from 'undici';
import { benchProgram } from './build.ts';
import { type Env, startChild } from './child.ts';
import type { Click } from './click.ts';
import { storeTokens } from './clicking-bots.ts';
import { INTAKE_SECRET } from './environment.ts';
import { atOnce } from './waiting-approvals.ts';

/** How the other contenders get the approvals of Gatepost's store. */

/** For bots that read the token from Redis. */
export async function giveTokens(env: Env, clicks: readonly Click[]): Promise<Click[]> {
  await storeTokens(env.REDIS_URL ?? '', clicks);
  return [...clicks];
}

/** Puts each approval into the floor's store, in a process before the measured one. */
export async function askFloor(env: Env, clicks: readonly Click[]): Promise<Click[]> {
  await using floor = await startChild(benchProgram('limit'), env);
  const asked: Click[] = [...clicks];
  await atOnce(clicks.length, 20, async (at) => {
    const click = asked[at];
    if (click === undefined) return;
    const { body } = await request(`${floor.url}/v1/approvals`, {
      method: 'POST',
      headers: { authorization: `Bearer ${INTAKE_SECRET}` },
      body: JSON.stringify({
        token: click.token,
        title: 'Deploy 4.2 to production',
        message: 'All checks are green. Shall it go out?',
      }),
    });
    // as: its response has this shape
    const { id } = (await body.json()) as { readonly id: string };
    asked[at] = { ...click, value: id };
  });
  return asked;
}
