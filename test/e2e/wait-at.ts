import type { World } from '../support/world.ts';

/** What is answered sooner was not waited for to its end. */
export const WAIT_MS = 50_000;

interface Waited {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly tookMs: number;
}

export async function waitAt(
  url: string,
  { sandbox }: Pick<World, 'sandbox'>,
  id: string,
  wait: string,
): Promise<Waited> {
  const startedAt = Date.now();
  const answer = await fetch(`${url}/v1/approvals/${id}?wait=${wait}`, {
    headers: { authorization: `Bearer ${sandbox.credentials.intakeSecret}` },
  });
  const body = JSON.parse(await answer.text());
  return { status: answer.status, body, tookMs: Date.now() - startedAt };
}
