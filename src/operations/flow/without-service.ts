const OFF = {
  tasks:
    'Moving work items is off until the person who runs Gatepost sets SERVICE_URL and SERVICE_API_KEY.',
  'test-cases':
    'Creating test cases is off until the person who runs Gatepost sets SERVICE_URL and SERVICE_API_KEY.',
  people:
    'Looking up and managing accounts is off until the person who runs Gatepost sets SERVICE_URL and SCIM_TOKEN.',
} as const;

type Feature = keyof typeof OFF;

const COMMANDS: ReadonlyMap<string, Feature> = new Map([
  ['/move-task', 'tasks'],
  ['/new-case', 'test-cases'],
  ['/people', 'people'],
]);

/**
 * What a person reads where no service is configured, by the command, shortcut, button or form that they used;
 * undefined: it needs none.
 */
export function offSentence(id: string): string | undefined {
  const feature = COMMANDS.get(id) ?? id.split('.', 1)[0];
  return feature !== undefined && Object.hasOwn(OFF, feature) ? OFF[feature as Feature] : undefined; // as: it is a key
}
