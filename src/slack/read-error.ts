/** Only reading failed: nothing was changed, and whoever wanted to read may just try again. */
export class ReadError extends Error {
  override readonly name = 'ReadError';
  readonly code = 'not_read';
  constructor(cause: unknown) {
    super('What somebody wanted to read could not be read', { cause });
  }
}
