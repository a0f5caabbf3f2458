import { type Logger, pino } from 'pino';

export interface LogSink {
  readonly logger: Logger;
  readonly lines: Record<string, unknown>[];
  /** Everything that was logged, as text. */
  readonly text: () => string;
}

export function createLogSink(): LogSink {
  const lines: Record<string, unknown>[] = [];
  const logger = pino(
    { level: 'trace' },
    { write: (line: string) => lines.push(JSON.parse(line)) },
  );
  return { logger, lines, text: () => JSON.stringify(lines) };
}
