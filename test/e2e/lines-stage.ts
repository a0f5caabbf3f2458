import { expect } from 'vitest';
import { isObject } from '../../src/sandbox/exchange.ts';
import type { ServiceFault } from '../../src/sandbox/service/service-handle.ts';
import { type CaseOptions, type CaseStage, startCaseStage } from './case-stage.ts';
import { ANA } from './stage.ts';

type Driven = Pick<CaseStage, 'sandbox' | 'type' | 'press' | 'choose' | 'modalOf' | 'submit'>;

/** How a story drives several test cases at once. */
export function lining(stage: Driven) {
  const { workspace, service } = stage.sandbox;
  const openLines = async (project: string): Promise<void> => {
    await stage.type('');
    await stage.press('Several at once');
    await stage.modalOf(/Lines/);
    await stage.choose('Test project', `tp-${project.toLowerCase()}`);
    await stage.modalOf(new RegExp(`Test project: ${project}`));
  };
  return {
    openLines,
    /** Enters lines, looks at the preview, and has them created. */
    async create(lines: string, project = 'Checkout'): Promise<void> {
      await openLines(project);
      await stage.submit({ Lines: lines });
      await stage.submit();
    },
    /** What the service does with a case of that title, once. */
    trouble(title: string, fault: ServiceFault): void {
      service.fault({
        operation: 'createTestCase',
        times: 1,
        ...fault,
        when: ({ body }) => isObject(body) && body.title === title,
      });
    },
    /** How often a case of each title was sent. */
    titles: (): readonly unknown[] =>
      service.requests('createTestCase').map(({ body }) => isObject(body) && body.title),
    /** Has a line sent again that may exist; the question is answered with yes. */
    async pressLine(number: number): Promise<void> {
      const [last] = workspace.directMessages(ANA).slice(-1);
      const place = { channel: `D${ANA.slice(1)}`, ts: last?.ts ?? '' };
      const actionId = `test-cases.line.${number} test-cases.batch.again-one`;
      const pressed = await workspace.click({ user: ANA, ...place, actionId });
      expect(pressed).toMatchObject({ acknowledged: true });
    },
  };
}

export async function startLinesStage(options: CaseOptions = {}) {
  const stage = await startCaseStage(options);
  return { ...stage, ...lining(stage) };
}
