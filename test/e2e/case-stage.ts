import { expect } from 'vitest';
import type { TestCase } from '../../sandbox/service/test-cases/test-project.ts';
import type { Config } from '../../src/core/config/config.ts';
import { WORDS } from '../../src/operations/test-cases/sentences.ts';
import { DEPLOYS, readable, type World } from '../support/world.ts';
import { moving, typeCommand } from './move-stage.ts';
import { ANA, type Stage, startStage, withoutAddresses } from './stage.ts';

/** The configuration of the sandbox's service; Ledger's suites are left out. */
export const TEST_PROJECTS: Config['catalogue']['testProjects'] = [
  {
    id: 'tp-checkout',
    name: 'Checkout',
    space: 'eng',
    suites: [
      { id: 'su-smoke', name: 'Smoke' },
      { id: 'su-payment', name: 'Payment' },
    ],
  },
  {
    id: 'tp-search',
    name: 'Search',
    space: 'eng',
    suites: [{ id: 'su-ranking', name: 'Ranking' }],
  },
  { id: 'tp-ledger', name: 'Ledger', space: 'fin', suites: [] },
];

const LINK = 'https://service.example/{testProjectId}/{id}';

export interface CaseOptions {
  readonly cases?: Partial<Config['cases']>;
  readonly testProjects?: Config['catalogue']['testProjects'];
  readonly budgetPerMinute?: number;
  /** null: it is not configured where test cases are shown. */
  readonly link?: null;
  /** Changes other settings. */
  readonly config?: (config: Config) => Config;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** A stage on which Ana can create test cases. */
export interface CaseStage extends Stage, ReturnType<typeof creating> {}

export async function startCaseStage(options: CaseOptions = {}): Promise<CaseStage> {
  const stage = await startStage({
    env: options.env ?? {},
    config: (given) => ({
      ...(options.config?.(given) ?? given),
      budgetPerMinute: options.budgetPerMinute ?? given.budgetPerMinute,
      cases: {
        who: { users: [ANA], groups: [], channel: false },
        announce: true,
        identity: given.cases.identity,
        ...options.cases,
      },
      catalogue: { ...given.catalogue, testProjects: options.testProjects ?? TEST_PROJECTS },
      links: { ...given.links, testCase: options.link === null ? null : LINK },
    }),
  });
  return { ...stage, ...creating(stage) };
}

/** How a story drives test cases. */
export function creating(stage: Pick<World, 'sandbox'>) {
  const { sandbox } = stage;
  const { workspace, service } = sandbox;
  const { modalOf, submit, press, choose } = moving(stage);
  const announced = () =>
    workspace.messages(DEPLOYS).map((each) => withoutAddresses(withoutIds(readable(each))));
  const directs = (user: string) =>
    workspace.directMessages(user).map((message) => withoutIds(readable(message)));
  return {
    modalOf: async (pattern: RegExp, user?: string) => withoutIds(await modalOf(pattern, user)),
    submit,
    press,
    choose,
    /** Types the command in the channel; returns the private reply, or '' if its form is open. */
    async type(words: string, user = ANA): Promise<string> {
      const text = `/new-case ${words}`;
      return typeCommand(stage, { user, channel: DEPLOYS, text }, WORDS.notOpened);
    },
    /** Waits for a direct message that matches. */
    async directOf(pattern: RegExp, user = ANA): Promise<string> {
      await sandbox.until(() => directs(user).some((text) => pattern.test(text)), {
        what: `${pattern} in a direct message`,
      });
      return directs(user).find((text) => pattern.test(text)) ?? '';
    },
    /** Waits for the reply to a command, which comes where it was typed or as a direct message. */
    async answerOf(pattern: RegExp, user = ANA): Promise<string> {
      const read = () => [...announced(), ...directs(user)].find((text) => pattern.test(text));
      return sandbox.until(read, { what: `${pattern} in an answer` });
    },
    /** Presses a button of the last direct message. */
    async pressDirect(label: string, user = ANA): Promise<void> {
      const [last] = workspace.directMessages(user).slice(-1);
      const place = { channel: `D${user.slice(1)}`, ts: last?.ts ?? '' };
      const pressed = await workspace.click({ user, ...place, label });
      expect(pressed).toMatchObject({ acknowledged: true });
    },
    /** Bodies sent to the service, in order. */
    sent: () => service.requests('createTestCase').map(({ body }) => body),
    cases: (): readonly TestCase[] => service.testProjects().flatMap((each) => each.cases),
    announced,
    directs,
  };
}

/** Ids that the service generates. */
function withoutIds(text: string): string {
  return text.replace(/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/gu, '<id>');
}
