import axe from 'axe-core';
import type { Page } from 'playwright-core';

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** Accessibility violations of the page as it is, each with its element; empty: none. */
export function violations(page: Page): Promise<string[]> {
  return run(page, '{ resultTypes: ["violations"] }');
}

/**
 * The same in light and in dark colours, for a page that follows the system: only the contrast of its colours can
 * differ.
 */
export async function violationsInBoth(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await run(page, '{ runOnly: { type: "rule", values: ["color-contrast"] } }');
  await page.emulateMedia({ colorScheme: 'light' });
  return [...(await violations(page)), ...dark.map((found) => `in dark colours: ${found}`)];
}

async function run(page: Page, options: string): Promise<string[]> {
  // Once in each document: it is large.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const found = await page.evaluate(`axe.run(document, ${options})`);
  // axe returns its results in this format.
  const { violations: all } = found as { violations: Violation[] };
  return all.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html}\n${failureSummary}`),
  );
}
