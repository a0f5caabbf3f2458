import { nowhere, type Place, placeOf } from '../place/place.ts';

/** A web or mail address; undefined for anything else, especially a script. */
export function webAddress(text: string): URL | undefined {
  const isKnown = /^(https?:\/\/|mailto:)/i.test(text);
  return isKnown && URL.canParse(text) ? new URL(text) : undefined;
}

/**
 * The place in this workspace that an address leads to; undefined: it leads elsewhere. This machine has several host
 * names.
 */
export function placeBehind(url: URL, port: string): Place | undefined {
  const isHere = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname) && url.port === port;
  const { channel, message, thread } = placeOf(url);
  return isHere && channel !== '' ? { ...nowhere, channel, message, thread } : undefined;
}

/** Opens the address of a button in a window without access to this one. */
export function openAddress(text: string): void {
  const url = webAddress(text);
  if (url) window.open(url, '_blank', 'noreferrer');
}
