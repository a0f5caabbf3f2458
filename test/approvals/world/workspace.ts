import { RemoteFailure } from '../../../src/core/lib/failure.ts';
import type {
  NewPost,
  PostMetadata,
  Search,
  Standing,
  Update,
} from '../../../src/core/slack/outbox.ts';

export interface PostedMessage {
  readonly ts: string;
  readonly channel: string;
  readonly threadTs: string | undefined;
  readonly post: string;
  metadata: PostMetadata;
  shown: string;
  isDeleted: boolean;
}

/** All of Slack: its messages. Calls `onShown` as soon as people see something. */
export class Workspace {
  readonly messages: PostedMessage[] = [];
  deletions = 0;
  readonly #onShown: (shown: string) => void;

  constructor(onShown: (shown: string) => void) {
    this.#onShown = onShown;
  }

  post({ channel, threadTs, text, blocks, metadata }: NewPost) {
    const ts = `17.${this.messages.length + 1}`;
    const shown = shownOf(text, blocks);
    const { post } = metadata;
    this.messages.push({ ts, channel, threadTs, post, metadata, shown, isDeleted: false });
    this.#onShown(shown);
    return { channel, ts };
  }

  update({ ts, text, blocks, metadata }: Update): void {
    const message = this.#alive().find((each) => each.ts === ts);
    if (message === undefined) {
      throw new RemoteFailure('update', {
        class: 'refused',
        code: 'message_not_found',
        status: 200,
      });
    }
    message.shown = shownOf(text, blocks);
    message.metadata = metadata ?? message.metadata;
    this.#onShown(message.shown);
  }

  find({ channel, threadTs, matches }: Search): string | undefined {
    return this.#alive().find(
      (each) =>
        each.channel === channel &&
        (threadTs === undefined || each.threadTs === threadTs) &&
        each.post === matches.post,
    )?.ts;
  }

  read(ts: string): Standing | undefined {
    const message = this.#alive().find((each) => each.ts === ts);
    if (message === undefined) return undefined;
    const [text] = JSON.parse(message.shown);
    return { text, metadata: message.metadata };
  }

  /** The visible messages of a post, including reposts under another name. */
  of(post: string): PostedMessage[] {
    return this.#alive().filter((each) => each.post.replace(/-again-\d+$/, '') === post);
  }

  delete(message: PostedMessage): void {
    this.deletions += 1;
    message.isDeleted = true;
  }

  #alive(): PostedMessage[] {
    const deleted = this.messages.filter(({ isDeleted }) => isDeleted).map(({ ts }) => ts);
    // Nobody sees a reply to a deleted message.
    return this.messages.filter(
      ({ ts, threadTs }) => !deleted.includes(ts) && !deleted.includes(threadTs ?? ''),
    );
  }
}

function shownOf(text: string, blocks: NewPost['blocks']): string {
  return JSON.stringify([text, blocks]);
}
