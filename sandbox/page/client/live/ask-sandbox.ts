/** What the sandbox answered, or a sentence that says why it did not. */
export type Answered =
  | { readonly ok: true; readonly body: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly error: string };

/** Does something in the sandbox. Never throws. */
export async function askSandbox(method: string, body: object): Promise<Answered> {
  try {
    const answer = await fetch(`/sandbox/v1/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const given = await answer.json();
    if (answer.ok) return { ok: true, body: given };
    return { ok: false, error: typeof given.error === 'string' ? given.error : unreadable };
  } catch {
    return { ok: false, error: 'The sandbox did not answer. Is it still running?' };
  }
}

const unreadable = 'The sandbox answered something that the page does not understand.';
