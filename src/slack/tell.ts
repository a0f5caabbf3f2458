import type { Acknowledgement } from './acknowledgement.ts';
import type { Payload } from './payload.ts';
import { plain } from './text.ts';
import type { Words } from './words.ts';

/**
 * Says a sentence to the person behind a request: in the acknowledgement, where one is still to give
 * and shows it, otherwise by the response URL, otherwise by a direct message.
 * Throws RemoteFailure when it could not be said.
 */
export async function tell(
  text: string,
  payload: Payload,
  acknowledgement: Acknowledgement,
  words: Pick<Words, 'respondUrl' | 'direct'>,
): Promise<void> {
  const content = contentWith(text, payload);
  if (content !== undefined && acknowledgement.give(content)) return;
  if (payload.responseUrl !== null) {
    const isSaid = await words.respondUrl(payload.responseUrl, { text }).then(
      () => true,
      () => false,
    );
    if (isSaid) return;
  }
  if (payload.user !== null) await words.direct({ user: payload.user, text });
}

/** An acknowledgement that shows the sentence; undefined where Slack shows none. */
function contentWith(text: string, payload: Payload): object | undefined {
  switch (payload.kind) {
    case 'command':
      return { response_type: 'ephemeral', text };
    case 'view':
      // At an input what was typed stays; a form without inputs has nothing to keep.
      return payload.inputBlock !== null
        ? { response_action: 'errors', errors: { [payload.inputBlock]: text } }
        : { response_action: 'update', view: notice(text) };
    default:
      return undefined;
  }
}

function notice(text: string): object {
  return {
    type: 'modal',
    callback_id: 'slack.notice',
    title: plain('Gatepost'),
    close: plain('Close'),
    blocks: [{ type: 'section', text: plain(text) }],
  };
}
