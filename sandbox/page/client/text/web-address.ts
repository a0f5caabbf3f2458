import { nowhere, type Place, placeOf } from '../place/place.ts';

/** An address of the web or of mail; undefined for anything else, above all for a script. */
export function webAddress(text: string): URL | undefined {
  const isKnown = /^(https?:\/\/|mailto:)/i.test(text);
  return isKnown && URL.canParse(text) ? new URL(text) : undefined;
}

/** Where in this workspace an address leads; undefined for one that leads elsewhere. This machine has several names. */
export function placeBehind(url: URL, port: string): Place | undefined {
  const isHere = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname) && url.port === port;
  const { channel, message, thread } = placeOf(url);
  return isHere && channel !== '' ? { ...nowhere, channel, message, thread } : undefined;
}

/** Opens the address of a button in a window that knows nothing of this one. */
export function openAddress(text: string): void {
  const url = webAddress(text);
  if (url) window.open(url, '_blank', 'noreferrer');
}
