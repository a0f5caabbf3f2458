import { webAddress } from './web-address.ts';

/** Opens the address of a button in a window that knows nothing of this one. */
export function openAddress(text: string): void {
  const url = webAddress(text);
  if (url) window.open(url, '_blank', 'noreferrer');
}
