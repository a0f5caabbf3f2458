import { hideSecrets } from './slack-logger.ts';

/** What of an error goes into a log: not its other members, which may hold requests and answers. */
export function describeError(error: unknown): Readonly<Record<string, string>> {
  if (!(error instanceof Error)) return { name: typeof error };
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return {
    name: error.name,
    ...(code !== undefined && { code }),
    message: hideSecrets(error.message),
    stack: hideSecrets(error.stack ?? ''),
    ...(error.cause instanceof Error && { cause: hideSecrets(error.cause.message) }),
  };
}
