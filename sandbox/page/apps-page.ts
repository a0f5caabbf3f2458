import type { Answer, Exchange } from '../exchange.ts';
import type { SlackSandbox } from '../slack-sandbox.ts';
import { isOwnRequest } from './page.ts';

/**
 * Slack's page for apps, as far as a link with a manifest leads: *Create and Install*, then the app's credentials.
 * `GET /apps?new_app=1&manifest_json=…`
 */
export function answerApps(exchange: Exchange, sandbox: SlackSandbox): void {
  exchange.respond(isOwnRequest(exchange) ? answerTo(exchange, sandbox) : FOREIGN);
}

function answerTo({ method, query, body }: Exchange, sandbox: SlackSandbox): Answer {
  if (method !== 'POST') return reviewPage(query.get('manifest_json') ?? '');
  try {
    const form = new URLSearchParams(body.toString());
    sandbox.workspace.app.install(form.get('manifest_json') ?? '');
  } catch (error) {
    return page(200, 'We can’t create this app', `<p>${escaped(String(error))}</p>`);
  }
  return credentialsPage(sandbox);
}

function reviewPage(manifest: string): Answer {
  if (manifest === '') {
    return page(200, 'Your apps', '<p>A link with a manifest creates an app here.</p>');
  }
  return page(
    200,
    'Create app from manifest',
    `<form method="post" action="/apps">
<p><textarea name="manifest_json" rows="20" cols="100">${escaped(manifest)}</textarea></p>
<p><button>Create and Install</button></p>
</form>`,
  );
}

function credentialsPage({ credentials, workspace, url }: SlackSandbox): Answer {
  const rows = [
    ['Bot token', 'bot-token', credentials.botToken],
    ['App token', 'app-token', credentials.appToken],
    ['Signing secret', 'signing-secret', credentials.signingSecret],
  ].map(
    ([label = '', id = '', value = '']) =>
      `<dt>${label}</dt><dd><code id="${id}">${escaped(value)}</code></dd>`,
  );
  return page(
    200,
    `Your app credentials: ${workspace.manifest.appName}`,
    `<dl>${rows.join('\n')}</dl>\n<p><a href="${url}/">Open the workspace</a></p>`,
  );
}

function page(status: number, title: string, content: string): Answer {
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; form-action 'self'; frame-ancestors 'none'",
      'cache-control': 'no-store',
    },
    body: `<!doctype html>\n<html lang="en"><title>${escaped(title)}</title>\n<h1>${escaped(title)}</h1>\n${content}\n</html>\n`,
  };
}

const FOREIGN = page(403, 'Only on the machine where the sandbox runs', '');

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (unit) => `&#${unit.charCodeAt(0)};`);
}
