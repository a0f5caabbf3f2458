/** What the stores log with; pino fits. */
export interface StoreLogger {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
}
