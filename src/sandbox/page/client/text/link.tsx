import type { ComponentChildren } from 'preact';
import { useGo } from '../place/go.ts';
import { placeOf } from '../place/place.ts';

/** A link of a message. One into this workspace moves this window; whatever is no address of the web is words. */
export function Link({ href, children }: { href: string; children: ComponentChildren }) {
  const go = useGo();
  if (!/^(https?:\/\/|mailto:)/i.test(href) || !URL.canParse(href)) return <span>{children}</span>;
  const url = new URL(href);
  if (url.origin !== location.origin || !url.pathname.startsWith('/archives/')) {
    return (
      <a href={href} target="_blank" rel="noreferrer">
        {children}
      </a>
    );
  }
  const { channel, message, thread } = placeOf(url);
  const jump = (event: MouseEvent): void => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    go({ channel, message, thread, isHome: false });
  };
  return (
    <a href={href} onClick={jump}>
      {children}
    </a>
  );
}
