import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { startSandbox } from '../../sandbox/start-sandbox.ts';
import { check } from '../simulation/checker.ts';
import type { AuditSeen, Interruption, Lapse } from '../simulation/evidence.ts';
import { evidenceFile, type Judged, judged } from './judge.ts';
import { Observer, PEOPLE } from './observer.ts';
import { runApproval } from './people.ts';
import { seededRandom } from './random.ts';
import { ABLE, CHANNELS } from './settings.ts';
import { serviceUserOf, startWeather } from './weather.ts';

/**
 * Slack, the service, the automations and the people, in a process of their own: the disturbances of the bots do not
 * affect it, and it keeps the evidence. `round.ts` sends it one request after another.
 */
export interface Requests {
  begin: { readonly frontUrl: string; readonly approvals: number; readonly perSecond: number };
  /** Answered once every approval is done. */
  finished: Record<string, never>;
  /** Ends all faults, and starts nothing new. */
  calm: Record<string, never>;
  note: { readonly interruption?: Interruption; readonly lapse?: Lapse };
  /** The automations ask about approvals whose outcome they do not know. */
  nudge: Record<string, never>;
  /** The evidence is written beside the audit log. */
  judge: { readonly auditFile?: string };
}

export interface Verdict extends Judged {
  readonly approvals: number;
  readonly clicks: number;
  readonly faults: number;
}

/** The first message of this process, unprompted. */
export interface Place {
  readonly slackApiUrl: string;
  readonly serviceUrl: string;
  readonly credentials: Readonly<Record<string, string>>;
}

const SEED = Number(process.env.SEED);

const observer = new Observer();
const sandbox = await startSandbox({
  onMessage: (message, channel) => observer.wrote(message, channel),
});
const random = seededRandom(SEED);
for (const channel of CHANNELS) sandbox.workspace.createChannel(channel, PEOPLE);
for (const person of PEOPLE) {
  const can = ABLE.some((each) => each === person);
  observer.rights.push({ at: 0, person, can, serviceUser: serviceUserOf(sandbox, person) });
}
const weather = startWeather(sandbox, observer, random);
let isOver = false;
let runs: Promise<unknown> = Promise.resolve();
let intakeUrl = '';

async function begin({ frontUrl, approvals, perSecond }: Requests['begin']): Promise<void> {
  sandbox.connectBot({
    eventsUrl: `${frontUrl}/slack/events`,
    intakeUrl: `${frontUrl}/v1/approvals`,
  });
  intakeUrl = `${frontUrl}/v1/approvals`;
  const needs = { sandbox, observer, random, intakeUrl, isOver: () => isOver };
  const begun = Array.from({ length: approvals }, async (_, number) => {
    await new Promise((resolve) => setTimeout(resolve, (number * 1_000) / perSecond));
    await runApproval(number, needs);
  });
  runs = Promise.all(begun);
}

/** A waiting automation asks the bot to check, as its time-out branch does. */
async function nudge(): Promise<void> {
  const records = observer.gates.flatMap(
    ({ intake }) => intake.findLast(({ record }) => record !== null)?.record ?? [],
  );
  const broken = new Set(check(observer.evidence(sandbox, null)).map(({ subject }) => subject));
  const open = observer.gates.filter(({ name }) => broken.has(name));
  for (const { intake } of open) {
    const record = intake.findLast((each) => each.record !== null)?.record;
    if (record === undefined || record === null || !records.includes(record)) continue;
    await fetch(`${intakeUrl}/${record}/check`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sandbox.credentials.intakeSecret}` },
    });
  }
}

async function judge({ auditFile }: Requests['judge']): Promise<Verdict> {
  const audit = auditFile === undefined ? null : readAudit(await readFile(auditFile, 'utf8'));
  const evidence = observer.evidence(sandbox, audit);
  if (auditFile !== undefined)
    await writeFile(join(dirname(auditFile), evidenceFile(SEED)), JSON.stringify(evidence));
  return {
    approvals: observer.gates.length,
    clicks: observer.gates.flatMap(({ presses }) => presses).length,
    faults: weather.faults,
    ...judged(evidence),
  };
}

function readAudit(text: string): AuditSeen[] {
  const lines = text.split('\n').filter((line) => line !== '');
  // as: `gatepost audit export` writes nothing else
  return lines.map((line) => JSON.parse(line) as AuditSeen);
}

const answers: {
  readonly [Name in keyof Requests]: (request: Requests[Name]) => Promise<unknown>;
} = {
  begin,
  finished: async () => void (await runs),
  async calm() {
    isOver = true;
    await weather.calm();
  },
  async note({ interruption, lapse }) {
    if (interruption !== undefined) observer.interruptions.push(interruption);
    if (lapse !== undefined) observer.lapses.push(lapse);
  },
  nudge,
  judge,
};

process.on(
  'message',
  async ({ id, name, request }: { id: number; name: keyof Requests; request: never }) => {
    try {
      process.send?.({ id, answer: (await answers[name](request)) ?? null });
    } catch (error) {
      process.send?.({ id, error: error instanceof Error ? error.stack : String(error) });
    }
  },
);
// Its parent is gone: no more requests will come.
process.once('disconnect', () => process.exit(0));
const { slackApiUrl, serviceUrl, credentials } = sandbox;
process.send?.({ place: { slackApiUrl, serviceUrl, credentials } });
