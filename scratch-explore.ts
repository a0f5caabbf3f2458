import { startDemo } from './sandbox/demo.ts';
import { onThe, press, ask } from './sandbox/test/page/on-the-page.ts';
import { launchBrowser } from './sandbox/test/page/one-browser.ts';
import axe from 'axe-core';
const demo = await startDemo({ opening: process.env.OPENING ? { prompt: 'x', title: 'Deploy 4.1' } : undefined } as any);
const { sandbox } = demo;
const browser = await launchBrowser();
const seen = new Set<string>();
async function check(page: any, state: string) {
  await page.evaluate(axe.source);
  const r: any = await page.evaluate('(()=>{const rules={};for(const r of axe.getRules())rules[r.ruleId]={enabled:true};return axe.run(document,{resultTypes:["violations"],rules})})()');
  for (const v of r.violations) for (const n of v.nodes) {
    const k = `${v.id} ${n.html.slice(0,150)}`;
    if (seen.has(k)) continue; seen.add(k);
    console.log(state, '|', v.id, v.tags.join(','), '|', n.html.slice(0,200), '|', n.failureSummary.replaceAll('\n',' ').slice(0,200));
  }
  console.log('checked', state);
}
for (const colorScheme of ['light','dark'] as const) {
  const page = await browser.newPage({ colorScheme, viewport: { width: 1280, height: 800 } });
  page.setDefaultTimeout(20000);
  await page.goto(sandbox.url);
  const { log, dialog, composer, backstage } = onThe(page);
  const step = async (name: string, f: () => Promise<unknown>) => { try { await f(); await check(page, `${colorScheme} ${name}`); } catch (e) { console.log('ERR', name, String(e).slice(0,200)); } };
  await step('first', () => log.waitFor());
  await step('waiting', () => ask(page, 'Deploy ' + colorScheme, { Message: 'long' }));
  await step('terminal', async () => { await page.getByRole('button', { name: 'Run gatepost ask' }).click(); await page.getByRole('log', { name: 'Terminal' }).getByText('Waiting').waitFor(); });
  await step('details', async () => { for (const s of await backstage.locator('summary').all()) if (await s.evaluate((e: any) => !e.parentElement.open)) await s.click(); });
  await step('move', async () => { await composer.fill('/move-task OPS-12'); await composer.press('Enter'); await dialog.getByText('with 4 sub-items').waitFor(); });
  await step('combobox', async () => { await dialog.getByRole('combobox', { name: 'Project', exact: true }).fill('pl'); await dialog.getByRole('option').first().waitFor(); });
  await step('move2', async () => { await dialog.getByRole('option').first().click(); await dialog.getByRole('button', { name: 'Next' }).click(); await dialog.getByRole('button', { name: 'Review' }).waitFor(); });
  await page.keyboard.press('Escape');
  await step('case', async () => { await composer.fill('/new-case'); await composer.press('Enter'); await dialog.getByRole('combobox', { name: 'Test project' }).waitFor(); });
  await page.keyboard.press('Escape');
  await step('people', async () => { await composer.fill('/people'); await composer.press('Enter'); await dialog.getByText(/Accounts 1 to/).waitFor(); });
  await page.keyboard.press('Escape');
  await step('completion', async () => { await composer.fill('/'); await page.getByRole('option').first().waitFor(); });
  await composer.fill('');
  await step('sidebar direct', async () => { await page.getByRole('button', { name: /^Gatepost/ }).click(); await page.waitForTimeout(500); });
  for (const t of await page.getByRole('tab').all()) await step('tab', async () => { await t.click(); await page.waitForTimeout(500); });
  await step('random', async () => { await page.getByRole('button', { name: /^random/ }).click(); await page.waitForTimeout(300); });
  await step('as gus', async () => { await page.getByLabel('You are').selectOption('U0GUS'); await page.waitForTimeout(500); });
  await page.close();
}
for (const colorScheme of ['light','dark'] as const) {
  const page = await browser.newPage({ colorScheme, viewport: { width: 380, height: 720 } });
  page.setDefaultTimeout(20000);
  await page.goto(sandbox.url);
  await page.getByRole('navigation', { name: 'Parts of the page' }).waitFor();
  for (const part of ['Messages','Channels','Behind the scenes']) {
    await page.getByRole('navigation', { name: 'Parts of the page' }).getByRole('button', { name: part }).click();
    await check(page, `${colorScheme} narrow ${part}`);
    await page.screenshot({ path: `/tmp/wt/shots/narrow-${part}-${colorScheme}.png` });
  }
  await page.close();
}
await browser.close(); await demo.stop();
