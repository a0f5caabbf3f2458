import { readFile } from 'node:fs/promises';
import { createAutomation } from './automation/automation.ts';
import { createBackstage } from './backstage/backstage.ts';
import { newServiceCredentials, uuidOf } from './credentials.ts';
import type { BotAddress, Sandbox, SandboxOptions } from './sandbox.ts';
import { createService } from './service/service.ts';
import { type ExtensionContext, startSlackSandbox } from './start-slack-sandbox.ts';

/** Starts a sandbox; resolves with its handle once it listens. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const own = new URL('../manifest.yml', import.meta.url);
  const manifest = options.manifest ?? (await readFile(own, 'utf8'));
  let bot = options.botUrl === undefined ? null : addressOf(options.botUrl);
  const requestUrl = bot ? { requestUrl: bot.eventsUrl } : {};
  return startSlackSandbox({ ...options, ...requestUrl, manifest }, (context) => {
    const { sandbox: slack, changes, now } = context;
    const { service, ...beside } = createBeside(context, () => bot);
    let begin = () => {};
    const handle: Sandbox = {
      ...slack,
      ...beside,
      serviceUrl: `${slack.url}/service`,
      service: service.handle,
      connectBot: (address) => {
        bot = address;
        slack.connectApp(address.eventsUrl);
        begin();
      },
    };
    const panel = createBackstage({ sandbox: handle, changes, now, bot: () => bot });
    begin = panel.begin;
    return {
      handle,
      path: '/service/',
      answer: (exchange) => service.answer(exchange, exchange.path.slice('/service'.length)),
      panel,
      reset: service.reset,
    };
  });
}

/** The service, and the automation that uses it. */
function createBeside({ sandbox, ...context }: ExtensionContext, bot: () => BotAddress | null) {
  const text = (bytes: number): string => context.random(bytes).toString('base64url');
  const credentials = { ...sandbox.credentials, ...newServiceCredentials(text) };
  const service = createService({
    ...context,
    ...credentials,
    randomToken: () => text(32),
    randomUuid: () => uuidOf(context.random(16)),
  });
  const automation = createAutomation({
    service: service.handle,
    intakeSecret: credentials.intakeSecret,
    intakeUrl: () => {
      const address = bot();
      if (!address) throw new Error('No bot is connected to the sandbox: call connectBot first.');
      return address.intakeUrl;
    },
  });
  return { credentials, service, automation };
}

function addressOf(botUrl: string): BotAddress {
  const base = botUrl.replace(/\/$/, '');
  return { eventsUrl: `${base}/slack/events`, intakeUrl: `${base}/v1/approvals` };
}
