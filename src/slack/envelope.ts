import type { ReceiverEvent } from '@slack/bolt';
import { z } from 'zod';
import type { SlackReply } from './acknowledgement.ts';

/** What Slack sends over a socket, as the library hands it on. */
const envelope = z.looseObject({
  /** A command's, an interaction's or an event's own members. */
  body: z.record(z.string(), z.unknown()).catch({}),
  retry_num: z.number().optional().catch(undefined),
  retry_reason: z.string().optional().catch(undefined),
  accepts_response_payload: z.boolean().catch(false),
});

export interface Envelope {
  readonly event: Omit<ReceiverEvent, 'ack'>;
  /** Whether Slack does something with more than the acknowledgement. */
  readonly takesContent: boolean;
}

/** Reads loosely: what is not understood is an event that nobody listens to. */
export function readEnvelope(value: unknown): Envelope {
  const read = envelope.parse(value);
  return {
    event: {
      body: read.body,
      ...(read.retry_num !== undefined && { retryNum: read.retry_num }),
      ...(read.retry_reason !== undefined && { retryReason: read.retry_reason }),
    },
    takesContent: read.accepts_response_payload,
  };
}

/** The content of an answer as it goes into an envelope; undefined: it only acknowledges. */
export function contentOf({ headers, body }: SlackReply): object | undefined {
  if (body === '') return undefined;
  const isJson = headers['content-type']?.startsWith('application/json');
  return isJson ? { ...JSON.parse(body) } : { text: body };
}
