import type { ComponentChildren } from 'preact';
import { useGo } from '../place/go.ts';
import { addressOf } from '../place/place.ts';
import { useReader } from './reader.ts';
import { placeBehind, webAddress } from './web-address.ts';

/** A link of a message. One into this workspace moves this window; whatever is no address of the web is words. */
export function Link({ href, children }: { href: string; children: ComponentChildren }) {
  const go = useGo();
  const { id } = useReader();
  const url = webAddress(href);
  if (!url) return <span>{children}</span>;
  const place = placeBehind(url, location.port);
  if (!place) {
    return (
      <a href={href} target="_blank" rel="noreferrer">
        {children}
      </a>
    );
  }
  const { channel, message, thread } = place;
  const jump = (event: MouseEvent): void => {
    // A new window or tab, where one stays the same person.
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    go({ channel, message, thread, isHome: false });
  };
  return (
    <a href={addressOf({ ...place, as: id })} onClick={jump}>
      {children}
    </a>
  );
}
