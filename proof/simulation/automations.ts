import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Chance } from './chance.ts';
import type { Chronicle } from './chronicle.ts';
import type { Door } from './door.ts';
import type { Gate, Observer } from './observer.ts';
import type { Scheduler } from './scheduler.ts';
import { OUTCOMES, ROUTES, WATCHER_SECRET } from './settings.ts';

interface AutomationNeeds {
  readonly sandbox: Sandbox;
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly observer: Observer;
  readonly chronicle: Chronicle;
  readonly door: Door;
  readonly now: () => number;
}

/** Most automations wait so long for the intake before they come again. */
const PATIENCE_MS = 10_000;
const JSON_TYPE = { 'content-type': 'application/json' };

/**
 * The automations: each reaches a gate, hands its token (or the key of a gate of Gatepost's own) to the intake
 * until that says that it has it, and some of them send it again although it has, or take it back.
 */
export class Automations {
  readonly #needs: AutomationNeeds;
  /** Gates that no intake has taken yet. */
  underWay = 0;

  constructor(needs: AutomationNeeds) {
    this.#needs = needs;
  }

  /** An automation reaches its gate. */
  reach(number: number): Gate {
    const { sandbox, chance, observer, scheduler, chronicle, now } = this.#needs;
    const isOwn = chance.often(0.15);
    const name = `g${number}`;
    const route = chance.pick(ROUTES);
    const lifeMs = chance.often(0.12) ? chance.whole(5_000, 60_000) : chance.whole(40_000, 100_000);
    const token = isOwn ? '' : chance.bytes(24).toString('base64url');
    const gate: Gate = {
      name,
      authority: isOwn ? 'gatepost' : 'service',
      title: `Gate ${name}`,
      message: `Please look at ${name}.`,
      ...(isOwn && { key: `key/${name}` }),
      route: route.name,
      channel: route.channel,
      token,
      madeAt: now(),
      deadlineAt: now() + lifeMs,
      quorum: route.quorum,
      reviewers: [...route.reviewers],
      intake: [],
      withdrawals: [],
      reasons: [],
      isCalledBack: chance.often(0.5),
      effects: [],
      calls: [],
      announced: ['outcome-thread', 'outcome-channel'],
      place: null,
    };
    if (!isOwn) sandbox.service.createApproval({ prompt: `May ${name} go on?`, token });
    observer.opened(gate);
    chronicle.note('automation', `reaches ${name} (${gate.authority}, ${route.name})`, name);
    this.#handOver(gate);
    if (!isOwn) scheduler.after(lifeMs, () => this.timeOut(gate));
    return gate;
  }

  /** Time runs out at the service, or somebody decides there. */
  timeOut(gate: Gate): void {
    if (this.#needs.sandbox.service.timeOut(gate.token))
      this.#needs.observer.looked(gate, 'deadline');
  }

  decideElsewhere(gate: Gate): void {
    const { sandbox, chance, observer } = this.#needs;
    const action = chance.often(0.5) ? 'approve' : 'reject';
    if (gate.token === '') return;
    if (sandbox.service.decide(gate.token, action)) observer.looked(gate, 'elsewhere');
  }

  /** The automation takes its gate back. */
  withdraw(gate: Gate): void {
    const record = gate.intake.findLast((each) => each.record !== null)?.record;
    if (record === undefined || record === null) return;
    const { chronicle, now } = this.#needs;
    chronicle.note('automation', `withdraws ${gate.name}`, gate.name);
    const again = (): void => {
      const at = now();
      void this.#send(gate, `/v1/approvals/${record}/withdraw`, '').then((answer) => {
        const status = answer?.status ?? null;
        chronicle.note(
          'automation',
          `reads ${status} to its withdrawal of ${gate.name}`,
          gate.name,
        );
        // A store that did not answer may have taken it.
        if (status === null || status < 300 || status >= 500) gate.withdrawals.push(at);
        if (status === null || status >= 500) this.#later(again);
      });
    };
    again();
  }

  #handOver(gate: Gate): void {
    const { chance, observer, chronicle, now } = this.#needs;
    const seconds = gate.deadlineAt === null ? null : new Date(gate.deadlineAt).toISOString();
    const body = JSON.stringify({
      ...(gate.token === '' ? { key: gate.key } : { token: gate.token }),
      title: gate.title,
      route: gate.route,
      message: gate.message,
      expiresAt: seconds,
    });
    this.underWay += 1;
    const again = (): void => {
      const seen: Gate['intake'][number] = {
        at: now(),
        answeredAt: null,
        status: null,
        record: null,
      };
      gate.intake.push(seen);
      void this.#send(gate, '/v1/approvals', body).then((answer) => {
        if (answer !== null) {
          seen.answeredAt = now();
          seen.status = answer.status;
          const { id } = JSON.parse(answer.body);
          if (answer.status < 300 && typeof id === 'string') {
            seen.record = id;
            observer.recorded(gate, id);
          }
        }
        chronicle.note(
          'automation',
          `reads ${seen.status} ${seen.record ?? ''} for ${gate.name}`,
          gate.name,
        );
        if (seen.status === null || seen.status >= 500 || seen.status === 429)
          return this.#later(again);
        this.underWay -= 1;
        // Its own answer was lost on the way to whoever waits for it, say: it sends the same again.
        if (chance.often(0.08)) this.#later(() => this.#handOver(gate));
      });
    };
    again();
  }

  #later(run: () => void): void {
    const { scheduler, chance } = this.#needs;
    scheduler.after(chance.whole(500, 5_000), run);
  }

  #send({ isCalledBack }: Gate, path: string, body: string) {
    const { door, sandbox } = this.#needs;
    const secret = isCalledBack ? sandbox.credentials.intakeSecret : WATCHER_SECRET;
    const authorization = `Bearer ${secret}`;
    const headers = { authorization, ...(body !== '' && JSON_TYPE) };
    return door.intake({ method: 'POST', path, headers, body }, PATIENCE_MS);
  }
}

export const CHANNELS = [...new Set(ROUTES.map(({ channel }) => channel)), OUTCOMES];
