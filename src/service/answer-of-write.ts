import { RemoteFailure } from '../lib/failure.ts';

/** What the service answered to a write; undefined when it is done and what it said cannot be read. */
export async function answerOfWrite(sent: Promise<unknown>): Promise<unknown> {
  try {
    return await sent;
  } catch (error) {
    if (error instanceof RemoteFailure && error.class === 'unreadable') return undefined;
    throw error;
  }
}
