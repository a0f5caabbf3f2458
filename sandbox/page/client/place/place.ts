/** Where a window is, according to its address. The format is that of Slack's permalinks, plus the person. */
export interface Place {
  /** Empty: the first person. */
  readonly as: string;
  /** Empty: the first channel. */
  readonly channel: string;
  /** `ts` of a message to show. */
  readonly message: string;
  /** `ts` of the message whose thread is open. */
  readonly thread: string;
  readonly isHome: boolean;
}

export const nowhere: Place = { as: '', channel: '', message: '', thread: '', isHome: false };

const path = /^\/archives\/([A-Z0-9]+)(?:\/p(\d+)(\d{6}))?$/;

export function placeOf({ pathname, searchParams }: URL): Place {
  const [, channel = '', seconds, micros] = path.exec(pathname) ?? [];
  return {
    as: searchParams.get('as') ?? '',
    channel,
    message: seconds === undefined ? '' : `${seconds}.${micros}`,
    thread: searchParams.get('thread_ts') ?? '',
    isHome: searchParams.get('tab') === 'home',
  };
}

/** The address of a place on this server. */
export function addressOf({ as, channel, message, thread, isHome }: Place): string {
  const query = new URLSearchParams({
    ...(as && { as }),
    ...(thread && { thread_ts: thread }),
    ...(isHome && { tab: 'home' }),
  });
  const where = channel && `archives/${channel}${message && `/p${message.replace('.', '')}`}`;
  return `/${where}${query.size > 0 ? `?${query}` : ''}`;
}
