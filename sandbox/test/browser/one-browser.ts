import chromium from '@sparticuz/chromium';
import {
  type Browser,
  type BrowserContextOptions,
  type Page,
  chromium as playwright,
  type Response,
} from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';

export interface OneBrowser {
  /** A window with its own empty storage. Errors on its console fail the test. */
  readonly open: (url: string, options?: BrowserContextOptions) => Promise<Page>;
  /** From here on the test expects errors on the console, such as failed requests. */
  readonly allowComplaints: () => void;
}

/** One Chromium for all tests of a file; its windows are closed after each. */
export function oneBrowser(): OneBrowser {
  let browser: Browser;
  let complaints: string[] | null = [];
  beforeAll(async () => {
    browser = await launchBrowser();
  });
  afterAll(() => browser.close());
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
    const found = complaints ?? [];
    complaints = [];
    expect(found, 'what the browser complains of').toEqual([]);
  });
  return {
    open: async (url, options) => {
      const context = await browser.newContext({
        viewport: { width: 1280, height: 800 },
        ...options,
      });
      const page = await context.newPage();
      // Long, for busy machines.
      page.setDefaultTimeout(60_000);
      page.on('pageerror', (error) => complaints?.push(error.message));
      page.on('console', (message) => {
        if (message.type() === 'error') complaints?.push(message.text());
      });
      // The browser's own message about a refusal names neither the request nor the reason.
      page.on('response', (response) => {
        if (response.status() === 422) void told(response).then((words) => complaints?.push(words));
      });
      await page.goto(url);
      return page;
    },
    allowComplaints: () => {
      complaints = null;
    },
  };
}

async function told(response: Response): Promise<string> {
  const asked = response.request();
  const why = await response.text().catch(() => 'it is gone');
  return `${asked.url()} ${asked.postData()}: ${why}`;
}

/** The package's Chromium, headless. */
export async function launchBrowser(): Promise<Browser> {
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--no-first-run',
    ],
  });
}
