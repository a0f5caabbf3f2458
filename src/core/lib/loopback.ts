/** Whether a URL's host name is this machine's own: what is sent there leaves it on no network. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}
