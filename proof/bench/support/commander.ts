import { Pool } from 'undici';
import { signed } from './click.ts';
import { CHANNEL, REVIEWERS, TEAM } from './environment.ts';
import type { Answered } from './stand-in.ts';
import type { CommandsRequest } from './world.ts';

/** A person who types `/new-case`, and again once its modal is open. */
export class Commander {
  #awaitsInputs = false;
  #opened: ((at: number) => void) | undefined;

  /** Called for every call that the stand-ins answered. */
  noticed({ operation, form, endedAt }: Answered): void {
    const isOpened = this.#awaitsInputs
      ? operation.startsWith('views.') && form?.get('view')?.includes('"type":"input"')
      : operation === 'views.open';
    if (isOpened) this.#opened?.(endedAt);
  }

  /** In ms each, from the request to the answer to `views.open`, or to the call that shows the fields. */
  async run({ eventsUrl, commands, isFilled = false }: CommandsRequest): Promise<number[]> {
    this.#awaitsInputs = isFilled;
    const { origin, pathname: path } = new URL(eventsUrl);
    const pool = new Pool(origin, { connections: 1, pipelining: 1 });
    const took: number[] = [];
    for (let number = 0; number < commands; number += 1) {
      const opened = new Promise<number>((resolve) => {
        this.#opened = resolve;
      });
      const sentAt = performance.now();
      const request = { method: 'POST', path, ...signed(commandBody(number)) } as const;
      const { statusCode, body } = await pool.request(request);
      await body.dump();
      if (statusCode !== 200) throw new Error(`a command was answered with ${statusCode}`);
      took.push((await opened) - sentAt);
    }
    await pool.close();
    return took;
  }
}

function commandBody(number: number): string {
  return new URLSearchParams({
    command: '/new-case',
    text: '',
    user_id: REVIEWERS[0] ?? '',
    user_name: 'bench',
    channel_id: CHANNEL,
    channel_name: 'bench',
    team_id: TEAM,
    team_domain: 'bench',
    api_app_id: 'A0BENCH',
    token: 'not-a-secret',
    is_enterprise_install: 'false',
    trigger_id: `1.3.${number}`,
    response_url: `https://hooks.slack.com/commands/${TEAM}/${number}`,
  }).toString();
}
