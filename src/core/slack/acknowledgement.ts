/** An answer over HTTP. */
export interface SlackReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The one answer Slack gets to a request; the first call counts. */
export interface Acknowledgement {
  readonly isGiven: boolean;
  /** What is given is not an acknowledgement. */
  readonly hasFailed: boolean;
  /** False: it was given before, nothing was sent. */
  give(content?: unknown): boolean;
  /** Has Slack show the person that it did not work, unless an answer was given before. */
  fail(): void;
}

export function createAcknowledgement(send: (reply: SlackReply) => void): Acknowledgement {
  let isGiven = false;
  let hasFailed = false;
  const answer = (reply: SlackReply): boolean => {
    if (isGiven) return false;
    isGiven = true;
    send(reply);
    return true;
  };
  return {
    get isGiven() {
      return isGiven;
    },
    get hasFailed() {
      return hasFailed;
    },
    give: (content) => answer(replyWith(content)),
    fail() {
      if (answer(FAILED)) hasFailed = true;
    },
  };
}

const FAILED: SlackReply = { status: 503, headers: {}, body: '' };

/** Slack shows a text or JSON as the answer; an empty 200 says only that it arrived. */
function replyWith(content: unknown): SlackReply {
  if (content === undefined || content === '') return { status: 200, headers: {}, body: '' };
  if (typeof content === 'string') {
    return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: content };
  }
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return { status: 200, headers, body: JSON.stringify(content) };
}
