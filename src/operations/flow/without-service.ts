const TASKS =
  'Moving work items is off until the person who runs Gatepost sets SERVICE_URL and SERVICE_API_KEY.';
const CASES =
  'Creating test cases is off until the person who runs Gatepost sets SERVICE_URL and SERVICE_API_KEY.';
const ACCOUNTS =
  'Looking up and managing accounts is off until the person who runs Gatepost sets SERVICE_URL and SCIM_TOKEN.';

/** By command, and by the prefix of the ids of shortcuts, buttons and forms. */
const OFF: ReadonlyMap<string, string> = new Map([
  ['/move-task', TASKS],
  ['tasks', TASKS],
  ['/new-case', CASES],
  ['test-cases', CASES],
  ['/people', ACCOUNTS],
  ['people', ACCOUNTS],
]);

/** The text if no service is configured, by the id of what the person used; undefined: it needs none. */
export function offSentence(id: string): string | undefined {
  return OFF.get(id.split('.', 1)[0] ?? '');
}
