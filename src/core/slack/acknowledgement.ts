/** An HTTP response. */
export interface SlackReply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The one response Slack gets to a request; only the first call counts. */
export interface Acknowledgement {
  readonly isGiven: boolean;
  /** The response was a failure, not an acknowledgement. */
  readonly hasFailed: boolean;
  /** False: a response was already given, and nothing was sent. */
  give(content?: unknown): boolean;
  /** Makes Slack show the person a failure, unless a response was already given. */
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

/** Slack shows text or JSON as the response; an empty 200 only acknowledges. */
function replyWith(content: unknown): SlackReply {
  if (content === undefined || content === '') return { status: 200, headers: {}, body: '' };
  if (typeof content === 'string') {
    return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: content };
  }
  const headers = { 'content-type': 'application/json; charset=utf-8' };
  return { status: 200, headers, body: JSON.stringify(content) };
}
