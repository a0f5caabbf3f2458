import type { Changes } from '../changes.ts';
import { type Exchange, parseJson, send } from '../exchange.ts';
import type { BotAddress, Sandbox } from '../sandbox.ts';
import { followState } from './follow-state.ts';
import { automationMethods } from './methods/automation.ts';
import { elementMethods } from './methods/elements.ts';
import { messageMethods } from './methods/messages.ts';
import { serviceMethods } from './methods/service.ts';
import { troubleMethods } from './methods/troubles.ts';
import { viewMethods } from './methods/views.ts';
import { isOwnRequest } from './own-request.ts';
import { endDeadlines, newPageMemory } from './page-memory.ts';
import { type PageMethods, refusal } from './page-method.ts';
import { servePage } from './serve-page.ts';
import { stateFor } from './state-for.ts';

export interface Page {
  /** False when the path is none of the page's. */
  readonly answer: (exchange: Exchange) => Promise<boolean>;
  /** Forgets what belonged to the world before. */
  readonly reset: () => void;
}

const api = '/sandbox/v1/';
const methods: PageMethods = {
  ...messageMethods,
  ...elementMethods,
  ...viewMethods,
  ...automationMethods,
  ...serviceMethods,
  ...troubleMethods,
};

/**
 * The page and the JSON that it reads and writes. `GET …/live?user=` streams the state of one person after
 * every change, `GET …/state?user=` gives it once; whatever a person does is a POST with JSON.
 */
export function createPage(needs: {
  readonly sandbox: Sandbox;
  readonly changes: Changes;
  readonly now: () => number;
  readonly bot: () => BotAddress | null;
}): Page {
  const { sandbox, changes } = needs;
  let memory = newPageMemory();

  const read = (user: string) => stateFor(user, sandbox, memory, needs.bot()?.routes ?? []);
  const write = async ({ headers, body }: Exchange, name: string) => {
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
    if (!method) return { status: 404, body: { error: 'There is nothing here.' } };
    if (headers['content-type'] !== 'application/json') return refusal('Send JSON.');
    return method(parseJson(body.toString()), { ...needs, memory, changed: changes.notify });
  };
  const answerApi = async (exchange: Exchange, name: string): Promise<void> => {
    const { response, method, query } = exchange;
    const user = query.get('user') ?? '';
    if (!isOwnRequest(exchange)) send(response, { status: 403, body: { error: foreign } });
    else if (method === 'POST') send(response, await write(exchange, name));
    else if (name === 'live') followState(response, changes, () => read(user));
    else send(response, { status: 200, body: read(user) });
  };

  return {
    answer: async (exchange) => {
      if (!exchange.path.startsWith(api)) return servePage(exchange);
      await answerApi(exchange, exchange.path.slice(api.length));
      return true;
    },
    reset: () => {
      endDeadlines(memory);
      memory = newPageMemory();
    },
  };
}

const foreign = 'This is only for the page itself, on the machine where the sandbox runs.';
