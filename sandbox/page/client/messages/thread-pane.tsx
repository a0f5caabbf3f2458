import { useLayoutEffect, useRef } from 'preact/hooks';
import type { PageApp, PageChannel, PageMessage } from '../../page-state.ts';
import { ChannelName } from '../channels/channel-name.tsx';
import { Composer } from '../composer/composer.tsx';
import { useFocusReturn } from '../parts/focus.ts';
import { Icon } from '../parts/icon.tsx';
import { useGo } from '../place/use-place.ts';
import { MessageLog } from './message-log.tsx';
import { MessageView } from './message-view.tsx';

interface Props {
  readonly app: PageApp;
  readonly channel: PageChannel;
  readonly parent: PageMessage;
  /** `ts` of the reply in the window's address; empty for none. */
  readonly sought: string;
}

/** A message and its replies, beside the channel. */
export function ThreadPane({ app, channel, parent, sought }: Props) {
  const go = useGo();
  const heading = useRef<HTMLHeadingElement>(null);
  const replies = channel.messages.filter(({ thread }) => thread === parent.ts);
  useFocusReturn();
  // Before the browser paints: otherwise a key pressed now would go to whatever has the focus until then.
  useLayoutEffect(() => heading.current?.focus(), [parent.ts]);
  return (
    <aside class="thread" aria-label="Thread">
      <header class="pane-head">
        <h2 ref={heading} tabIndex={-1}>
          Thread
        </h2>
        <p class="quiet">
          <ChannelName channel={channel} />
        </p>
        <button
          type="button"
          class="icon-button"
          aria-label="Close thread"
          onClick={() => go({ thread: '', message: '' })}
        >
          <Icon name="close" />
        </button>
      </header>
      <MessageLog label="Messages in the thread" of={parent.ts} isSeeking={sought !== ''}>
        <MessageView channel={channel.id} message={parent} shortcuts={app.shortcuts} />
        {replies.length > 0 && (
          <p class="reply-count">
            {replies.length === 1 ? '1 reply' : `${replies.length} replies`}
          </p>
        )}
        {replies.map((reply) => (
          <MessageView
            key={reply.ts}
            channel={channel.id}
            message={reply}
            shortcuts={app.shortcuts}
            isSought={reply.ts === sought}
          />
        ))}
      </MessageLog>
      <Composer key={parent.ts} app={app} channel={channel} thread={parent.ts} />
    </aside>
  );
}
