import { expect } from 'vitest';
import { isObject } from '../../sandbox/exchange.ts';
import type { ServiceFault } from '../../sandbox/service/service-handle.ts';
import type { View } from '../../sandbox/wire.ts';
import { packed } from '../../src/operations/batch/pack-rows.ts';
import { BOX_MAX } from '../../src/operations/test-cases/several/lines-form.ts';
import { readable } from '../support/world.ts';
import { type CaseOptions, type CaseStage, startCaseStage } from './case-stage.ts';
import { ANA } from './stage.ts';

type Driven = Pick<CaseStage, 'sandbox' | 'type' | 'press' | 'choose' | 'modalOf' | 'submit'>;

/** How a story creates several test cases at once. */
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
    /** Enters lines, checks the preview, and creates them. */
    async create(lines: string, project = 'Checkout'): Promise<void> {
      await openLines(project);
      await stage.submit({ Lines: lines });
      await stage.submit();
    },
    /** A single fault of the service for a case with that title. */
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
    /** Enters lines in as many text areas as they need, and returns the preview. */
    async enterMany(lines: readonly string[]): Promise<string> {
      const boxes = packed(lines, BOX_MAX);
      const labels = boxes.map((_, index) => (index === 0 ? 'Lines' : `Lines (${index + 1})`));
      for (const label of labels.slice(1)) {
        await stage.press('More lines');
        await stage.sandbox.until(() => labelsIn(workspace.modal(ANA)).includes(label));
      }
      return stage.submit(Object.fromEntries(boxes.map((text, index) => [labels[index], text])));
    },
    /** Every line of the last direct message, page by page. */
    async rows(): Promise<readonly string[]> {
      const last = () => workspace.directMessages(ANA).at(-1);
      const rows: string[] = [];
      for (;;) {
        const text = readable(last());
        rows.push(...text.split('\n').filter((line) => /^:\w+: \d+\. /u.test(line)));
        const next = /^Next \(.*\)$/mu.exec(text)?.[0];
        if (next === undefined) return rows;
        const place = { channel: `D${ANA.slice(1)}`, ts: last()?.ts ?? '' };
        await workspace.click({ user: ANA, ...place, label: next });
        await stage.sandbox.until(() => readable(last()) !== text, { what: 'the next page' });
      }
    },
    /** Sends a line again that may exist; the question is answered with yes. */
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

function labelsIn(view: View | undefined): readonly string[] {
  return (view?.blocks ?? []).flatMap(({ label }) =>
    isObject(label) && typeof label.text === 'string' ? [label.text] : [],
  );
}
