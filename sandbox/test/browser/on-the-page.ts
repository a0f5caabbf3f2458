import type { Locator, Page } from 'playwright-core';

/** The parts of the page, by their visible names. */
export function onThe(page: Page) {
  const backstage = page.getByRole('complementary', { name: 'Behind the scenes' });
  return {
    log: page.getByRole('log', { name: /^Messages (in #|with )/ }),
    thread: page.getByRole('log', { name: 'Messages in the thread' }),
    backstage,
    dialog: page.getByRole('dialog'),
    composer: page.getByRole('textbox', { name: /^Message / }),
    hint: page.locator('.next-step'),
    /** A control behind the scenes by its exact name. */
    setting: (name: string): Locator => backstage.getByRole('combobox', { name, exact: true }),
  };
}

/** Asks as the automation; resolves when the message is in the channel. */
export async function ask(page: Page, title: string, settings: Record<string, string> = {}) {
  const { backstage, setting, log } = onThe(page);
  await backstage.getByLabel('What needs an approval?').fill(title);
  if (Object.keys(settings).length > 0) {
    const more = backstage.locator('details', { hasText: 'More options' });
    if ((await more.getAttribute('open')) === null) await more.getByText('More options').click();
  }
  for (const [name, value] of Object.entries(settings)) await setting(name).selectOption(value);
  await backstage.getByRole('button', { name: 'Ask for approval' }).click();
  const message = log.getByRole('article').filter({ hasText: title });
  await buttonOf(message, 'Approve').waitFor();
  return message;
}

/** Presses a button of the bot in a message. */
export function press(message: Locator, label: string): Promise<void> {
  return buttonOf(message, label).click();
}

/** Opens the overflow menu of a message and chooses an option. */
export async function choose(message: Locator, option: string): Promise<void> {
  await message.getByRole('button', { name: 'More actions' }).click();
  const menu = message.page().getByRole('menu', { name: 'More actions' });
  await menu.waitFor();
  await menu.getByRole('menuitem', { name: option, exact: true }).click();
}

/** A button of the bot with a URL, by its visible text. */
export function linkOf(message: Locator, label: string): Locator {
  return message.getByRole('link').filter({ hasText: new RegExp(`^${label}$`) });
}

/** By its visible text: its accessible name may be longer. */
export function buttonOf(message: Locator, label: string): Locator {
  return message.getByRole('button').filter({ hasText: new RegExp(`^${label}$`) });
}
