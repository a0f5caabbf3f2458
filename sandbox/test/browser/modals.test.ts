import type { Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { slackClient } from '../slack-client.ts';
import { manifest } from '../workspace/app-world.ts';
import { log, pageStage } from './page-stage.ts';
import { violations } from './violations.ts';

const stage = pageStage({ manifest });
const plain = (text: string) => ({ type: 'plain_text', text });
const option = (text: string, value: string) => ({ text: plain(text), value });
const projects = [option('Platform', 'p1'), option('Mobile', 'p2'), option('Web shop', 'p3')];

function field(id: string, label: string, element: object, more: object = {}) {
  const placed = { action_id: `${id}.input`, ...element };
  return { type: 'input', block_id: id, label: plain(label), element: placed, ...more };
}

const reason = field('reason', 'Reason', { type: 'plain_text_input', multiline: true });
const project = field('project', 'Project', { type: 'static_select', options: projects });

function modal(blocks: object[], more: object = {}) {
  const labels = { title: plain('Try'), submit: plain('Send'), close: plain('Cancel') };
  return { type: 'modal', callback_id: 'try', ...labels, blocks, ...more };
}

const slack = (method: string, args: Record<string, unknown>) =>
  slackClient(stage.sandbox).apiCall(method, args);
const dialog = () => stage.page.getByRole('dialog', { name: 'Try' });
const submitted = () => stage.payloads('view_submission').at(-1)?.view.state.values;
const send = () => dialog().getByRole('button', { name: 'Send' });

/** Opens a modal as people do: by a shortcut, which the bot answers with the view. */
async function open(view: object): Promise<string> {
  await stage.page.getByRole('button', { name: 'Shortcuts' }).click();
  await stage.page.getByRole('menuitem', { name: 'Try it' }).click();
  await expect.poll(() => stage.payloads('shortcut').length).toBeGreaterThan(0);
  const { trigger_id } = stage.payloads('shortcut').at(-1);
  await slack('views.open', { trigger_id, view });
  await stage.page.getByRole('dialog').waitFor();
  return stage.sandbox.workspace.modal('U0ANA')?.id ?? '';
}

describe('a modal', () => {
  it('sends the values of every kind of input', async () => {
    await open(
      modal([
        reason,
        project,
        field('many', 'Several', { type: 'multi_static_select', options: projects }),
        field('who', 'Who', { type: 'users_select' }),
        field('where', 'Where', { type: 'channels_select' }),
        field('radio', 'One of', { type: 'radio_buttons', options: projects }),
        field('boxes', 'Any of', { type: 'checkboxes', options: projects }),
        field('date', 'Date', { type: 'datepicker' }),
        field('time', 'Time', { type: 'timepicker' }),
        field('moment', 'Moment', { type: 'datetimepicker' }),
        field('number', 'Number', { type: 'number_input', is_decimal_allowed: false }),
        field('files', 'Proof', { type: 'file_input', filetypes: ['pdf'] }),
      ]),
    );
    const box = (name: string) => dialog().getByRole('combobox', { name });
    await dialog().getByRole('textbox', { name: 'Reason' }).fill('Because');
    await box('Project').press('ArrowDown');
    await box('Project').press('ArrowDown');
    await box('Project').press('Enter');
    await box('Several').fill('web');
    await box('Several').press('Enter');
    await box('Several').fill('plat');
    await box('Several').press('Enter');
    await box('Who').fill('ben');
    await dialog().getByRole('option', { name: 'Ben Okafor' }).click();
    await box('Where').fill('rel');
    await box('Where').press('Enter');
    await dialog().getByRole('radio', { name: 'Mobile' }).check();
    await dialog().getByRole('checkbox', { name: 'Mobile' }).check();
    await dialog().getByRole('checkbox', { name: 'Web shop' }).check();
    await dialog().getByLabel('Date', { exact: true }).fill('2026-11-21');
    await dialog().getByLabel('Time', { exact: true }).fill('10:30');
    await dialog().getByLabel('Moment').fill('2026-07-01T12:00');
    await dialog().getByLabel('Number').fill('7');
    const report = { name: 'report.pdf', mimeType: 'application/pdf', buffer: Buffer.from('x') };
    await dialog().getByLabel('Proof').setInputFiles([report]);
    await box('Project').press('ArrowDown');
    expect(await violations(stage.page)).toEqual([]);
    await stage.page.keyboard.press('Escape');
    await send().click();
    await dialog().waitFor({ state: 'detached' });
    expect(submitted()).toMatchObject({
      reason: { 'reason.input': { value: 'Because' } },
      project: { 'project.input': { selected_option: { value: 'p2' } } },
      many: { 'many.input': { selected_options: [{ value: 'p3' }, { value: 'p1' }] } },
      who: { 'who.input': { selected_user: 'U0BEN' } },
      where: { 'where.input': { selected_channel: 'C0OUTCOMES' } },
      radio: { 'radio.input': { selected_option: { value: 'p2' } } },
      boxes: { 'boxes.input': { selected_options: [{ value: 'p2' }, { value: 'p3' }] } },
      date: { 'date.input': { selected_date: '2026-11-21' } },
      time: { 'time.input': { selected_time: '10:30' } },
      // Noon in Madrid, where Ana is.
      moment: { 'moment.input': { selected_date_time: Date.UTC(2026, 6, 1, 10) / 1000 } },
      number: { 'number.input': { value: '7' } },
      files: { 'files.input': { files: [{ name: 'report.pdf', filetype: 'pdf' }] } },
    });
  });

  it('asks the bot for the options of an external select while somebody types', async () => {
    stage.answer = ({ body }) => {
      const payload = JSON.parse(new URLSearchParams(body).get('payload') ?? '{}');
      if (payload.type !== 'block_suggestion') return { status: 200 };
      const options = [option(`Suite ${payload.value}`, 's1')];
      return { status: 200, body: JSON.stringify({ options }) };
    };
    await open(modal([field('suite', 'Suite', { type: 'external_select', min_query_length: 2 })]));
    const box = dialog().getByRole('combobox', { name: 'Suite' });
    await box.fill('s');
    await dialog().getByText('Type 2 characters to search').waitFor();
    await box.fill('smoke');
    await stage.page.getByRole('option', { name: 'Suite smoke' }).click();
    await send().click();
    await dialog().waitFor({ state: 'detached' });
    expect(submitted().suite['suite.input']).toMatchObject({ selected_option: { value: 's1' } });
  });

  it('shows missing values at their inputs, before anything is sent', async () => {
    const number = { type: 'number_input', is_decimal_allowed: false, max_value: '9' };
    await open(modal([reason, field('number', 'Number', number)]));
    await dialog().getByLabel('Number').fill('10');
    await send().click();
    await dialog().getByText('Please complete this required field.').waitFor();
    await dialog().getByText('Please enter 9 or less.').waitFor();
    const missing = dialog().getByRole('textbox', { name: 'Reason' });
    expect(await missing.getAttribute('aria-invalid')).toBe('true');
    expect(await missing.evaluate((it) => it === it.ownerDocument.activeElement)).toBe(true);
    expect(stage.payloads('view_submission')).toEqual([]);
  });

  it('shows the errors of the bot at their inputs, and keeps what was typed', async () => {
    await open(modal([reason, project]));
    await dialog().getByRole('textbox', { name: 'Reason' }).fill('Because');
    await dialog().getByRole('combobox', { name: 'Project' }).fill('mob');
    await dialog().getByRole('combobox', { name: 'Project' }).press('Enter');
    const errors = { response_action: 'errors', errors: { project: 'It is archived.' } };
    stage.answer = () => ({ status: 200, body: JSON.stringify(errors) });
    await send().click();
    const box = dialog().getByRole('combobox', { name: 'Project' });
    await dialog().getByText('It is archived.').waitFor();
    await expect.poll(() => box.getAttribute('aria-invalid')).toBe('true');
    expect(await dialog().getByRole('textbox', { name: 'Reason' }).inputValue()).toBe('Because');
    expect(await box.inputValue()).toBe('Mobile');
  });

  it('shows that it is submitting, and reports a missing answer', async () => {
    await open(modal([reason]));
    await dialog().getByRole('textbox', { name: 'Reason' }).fill('Because');
    const waiting: ((given: { status: number }) => void)[] = [];
    stage.answer = () => new Promise((resolve) => waiting.push(resolve));
    await send().click();
    await expect.poll(() => waiting.length).toBe(1);
    expect(await send().getAttribute('aria-busy')).toBe('true');
    await send().press('Enter');
    waiting[0]?.({ status: 500 });
    await dialog().getByText('We had some trouble connecting. Try again?').waitFor();
    expect(stage.payloads('view_submission')).toHaveLength(1);
    stage.answer = () => ({ status: 200 });
    await send().click();
    await dialog().waitFor({ state: 'detached' });
  });

  it('keeps entered values in an update if the ids are the same', async () => {
    const view_id = await open(modal([reason, project]));
    await dialog().getByRole('textbox', { name: 'Reason' }).fill('Because');
    await dialog().getByRole('combobox', { name: 'Project' }).fill('mob');
    // The update removes the input: the choice has to arrive before that.
    // Not the response for the reason, which may be late.
    const chosen = stage.page.waitForResponse(
      (response) => response.request().postData()?.includes('"value":"p2"') === true,
    );
    await dialog().getByRole('combobox', { name: 'Project' }).press('Enter');
    await chosen;
    const other = { ...project, block_id: 'other', label: plain('Other project') };
    await slack('views.update', { view_id, view: modal([reason, other]) });
    const box = dialog().getByRole('combobox', { name: 'Other project' });
    await box.waitFor();
    expect(await box.inputValue()).toBe('');
    expect(await dialog().getByRole('textbox', { name: 'Reason' }).inputValue()).toBe('Because');
    await box.fill('half a wo');
    const third = { ...project, block_id: 'third', label: plain('Third project') };
    await slack('views.update', { view_id, view: modal([reason, third]) });
    const last = dialog().getByRole('combobox', { name: 'Third project' });
    await last.waitFor();
    expect(await last.inputValue()).toBe('');
  });

  it('tells the bot of an input at once if the input asks for it, with the other values', async () => {
    await open(modal([reason, { ...project, dispatch_action: true }]));
    await dialog().getByRole('textbox', { name: 'Reason' }).fill('Because');
    await dialog().getByRole('combobox', { name: 'Project' }).fill('mob');
    await dialog().getByRole('combobox', { name: 'Project' }).press('Enter');
    await expect.poll(() => stage.payloads('block_actions').length).toBe(1);
    expect(stage.payloads('block_actions')[0]).toMatchObject({
      actions: [{ block_id: 'project', selected_option: { value: 'p2' } }],
      view: { state: { values: { reason: { 'reason.input': { value: 'Because' } } } } },
    });
  });

  it('tells the bot of a text at Enter if the input asks for it, without submitting', async () => {
    const key = field('key', 'Key', { type: 'plain_text_input', focus_on_load: true });
    await open(modal([reason, { ...key, dispatch_action: true }]));
    const focused = () => stage.page.evaluate('document.activeElement.tagName');
    await expect.poll(focused).toBe('INPUT');
    await stage.page.keyboard.type('OPS-12');
    await stage.page.keyboard.press('Enter');
    await expect.poll(() => stage.payloads('block_actions').length).toBe(1);
    expect(stage.payloads('block_actions')[0].actions).toMatchObject([{ value: 'OPS-12' }]);
    expect(stage.payloads('view_submission')).toEqual([]);
  });

  it('opens on top of another, goes back to it, and closes with all of them', async () => {
    const title = plain('Upper');
    const upper = modal([reason], { title, notify_on_close: true });
    const push = JSON.stringify({ response_action: 'push', view: upper });
    stage.answer = () => ({ status: 200, body: push });
    await open(modal([project], { notify_on_close: true }));
    await dialog().getByRole('combobox', { name: 'Project' }).fill('mob');
    await dialog().getByRole('combobox', { name: 'Project' }).press('Enter');
    await send().click();
    const above = stage.page.getByRole('dialog', { name: 'Upper' });
    await above.getByRole('button', { name: 'Back' }).click();
    const box = dialog().getByRole('combobox', { name: 'Project' });
    await expect.poll(() => box.inputValue()).toBe('Mobile');
    await send().click();
    await above.waitFor();
    await stage.page.keyboard.press('Escape');
    await above.waitFor({ state: 'detached' });
    await expect
      .poll(() => stage.payloads('view_closed').map((each) => each.is_cleared))
      .toEqual([false, true, true]);
    expect(await stage.page.getByRole('dialog').count()).toBe(0);
  });

  it('closes at once, and reappears if that fails', async () => {
    stage.browser.allowComplaints();
    await open(modal([reason]));
    const held: Route[] = [];
    await stage.page.route('**/sandbox/v1/close', (route) => void held.push(route));
    await stage.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await expect.poll(() => held.length).toBe(1);
    expect(stage.sandbox.workspace.modal('U0ANA')).toBeDefined();
    await held.pop()?.abort();
    await dialog().waitFor();
    // Again, without touching anything in between.
    await stage.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await expect.poll(() => held.length).toBe(1);
    const composer = stage.page.getByRole('textbox', { name: 'Message #deployments' });
    await composer.fill('Next');
    await composer.press('Enter');
    await log(stage).getByText('Next').waitFor();
    expect(held).toHaveLength(1);
    await held.pop()?.continue();
    await expect.poll(() => stage.sandbox.workspace.modal('U0ANA')).toBeUndefined();
  });

  it('moves the focus to its first input, keeps it inside, and returns it', async () => {
    await open(modal([reason]));
    const focused = () => stage.page.evaluate('document.activeElement.tagName');
    await expect.poll(focused).toBe('TEXTAREA');
    await stage.page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });
    await expect
      .poll(() => stage.page.evaluate('document.activeElement.getAttribute("aria-label")'))
      .toBe('Shortcuts');
  });

  it('shows its content after “Loading…”, with the focus in the first input', async () => {
    const loading = { type: 'section', text: plain('Loading…') };
    const view_id = await open(modal([loading], { submit: undefined }));
    await dialog().getByText('Loading…').waitFor();
    expect(await send().count()).toBe(0);
    await slack('views.update', { view_id, view: modal([reason]) });
    await expect.poll(() => stage.page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA');
  });
});
