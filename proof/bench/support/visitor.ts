import { Pool } from 'undici';
import { signed } from './click.ts';
import { TEAM } from './environment.ts';
import type { Answered } from './stand-in.ts';

/** The result of one visit, in milliseconds. */
export interface Visited {
  /** From the event until `views.publish` was called. */
  readonly calledMs: number;
  /** Of that, the duration of Slack's other calls, measured at the stand-in. */
  readonly callsMs: number;
}

/** People who open their Home tab, one after the other, each once the previous one is published. */
export class Visitor {
  #callsMs = 0;
  #published: ((at: number) => void) | undefined;
  /** Home tabs that were published since the start. */
  published = 0;
  #visits = 0;

  /** Called for every call that the stand-ins answered. */
  noticed({ operation, startedAt, endedAt }: Answered): void {
    if (operation === 'views.publish') {
      this.published += 1;
      this.#published?.(startedAt);
    } else this.#callsMs += endedAt - startedAt;
  }

  async run(eventsUrl: string, people: readonly string[]): Promise<Visited[]> {
    const { origin, pathname: path } = new URL(eventsUrl);
    const pool = new Pool(origin, { connections: 1, pipelining: 1 });
    const visits: Visited[] = [];
    for (const user of people) {
      const published = new Promise<number>((resolve) => {
        this.#published = resolve;
      });
      this.#visits += 1;
      this.#callsMs = 0;
      const request = signed(JSON.stringify(opened(user, this.#visits)), 'application/json');
      const sentAt = performance.now();
      const { statusCode, body } = await pool.request({ method: 'POST', path, ...request });
      await body.dump();
      if (statusCode !== 200) throw new Error(`an event was answered with ${statusCode}`);
      visits.push({ calledMs: (await published) - sentAt, callsMs: this.#callsMs });
    }
    this.#published = undefined;
    await pool.close();
    return visits;
  }
}

function opened(user: string, visit: number) {
  const event = {
    type: 'app_home_opened',
    user,
    channel: 'D0BENCH',
    tab: 'home',
    event_ts: `1750000000.${visit}`,
  };
  return {
    type: 'event_callback',
    token: 'not-a-secret',
    team_id: TEAM,
    api_app_id: 'A0BENCH',
    event,
    event_id: `Ev0BENCH${visit}`,
    event_time: Math.floor(Date.now() / 1_000),
    authorizations: [
      {
        enterprise_id: null,
        team_id: TEAM,
        user_id: 'U0BOT',
        is_bot: true,
        is_enterprise_install: false,
      },
    ],
  };
}
