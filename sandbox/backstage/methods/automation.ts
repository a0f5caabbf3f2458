import * as z from 'zod';
import type { IntakeAnswer, Question } from '../../automation/automation.ts';
import type { Sandbox } from '../../sandbox.ts';
import type { BackstageMemory } from '../backstage-memory.ts';
import {
  type BackstageMethods,
  type BackstageWorld,
  backstageMethod,
} from '../backstage-method.ts';

const ask = z.strictObject({
  title: z
    .string()
    .trim()
    .min(1, 'Write what needs an approval.')
    .max(2_000, 'Write it in 2,000 characters or fewer.'),
  message: z.string().trim().optional(),
  fields: z.record(z.string(), z.string()).optional(),
  route: z.string().optional(),
  quorum: z.int('Write how many as a whole number.').min(1).max(9).optional(),
  minutes: z.int().min(1).max(1_440).optional(),
  requester: z.string().optional(),
});
const about = z.strictObject({ approval: z.string() });
const result = about.extend({ state: z.enum(['running', 'succeeded', 'failed']) });

type Ask = z.infer<typeof ask>;

/** Actions of the automation. */
export const automationMethods: BackstageMethods = {
  ask: backstageMethod(ask, askForApproval),
  check: backstageMethod(about, async ({ approval }, world) => {
    orThrow(await world.sandbox.automation.check(intakeId(approval, world.sandbox)));
    return {};
  }),
  withdraw: backstageMethod(about, async ({ approval }, world) => {
    orThrow(await world.sandbox.automation.withdraw(intakeId(approval, world.sandbox)));
    return {};
  }),
  report: backstageMethod(result, async ({ approval, state }, { sandbox }) => {
    const text = state === 'failed' ? 'Health check failed after 30 s.' : undefined;
    const report = { state, ...(text !== undefined && { text }) };
    orThrow(await sandbox.automation.report(intakeId(approval, sandbox), report));
    return {};
  }),
};

async function askForApproval(body: Ask, world: BackstageWorld) {
  const { sandbox, memory, changed } = world;
  const { minutes } = body;
  const prompt = 'All checks are green. Shall it go out?';
  const { token } = sandbox.service.createApproval({ prompt });
  const { id } = sandbox.service.approval(token);
  const expiresAt = minutes === undefined ? undefined : world.now() + minutes * 60_000;
  orThrow(await sandbox.automation.ask({ token, ...questionOf(body, expiresAt) }));
  if (minutes !== undefined) runOut(memory, minutes, () => sandbox.service.timeOut(token));
  changed();
  return { approval: id };
}

function questionOf(
  { title, message, fields, route, quorum, requester }: Ask,
  expiresAt: number | undefined,
): Question {
  return {
    title,
    ...(message && { message }),
    ...(fields && { fields }),
    ...(route && { route }),
    ...(quorum && { quorum }),
    ...(requester && { requestedBy: { slackUser: requester } }),
    ...(expiresAt && { expiresAt: new Date(expiresAt).toISOString() }),
  };
}

/** The service closes the gate at its deadline. */
function runOut({ deadlines }: BackstageMemory, minutes: number, close: () => void): void {
  const timer = setTimeout(() => {
    deadlines.delete(timer);
    close();
  }, minutes * 60_000);
  timer.unref();
  deadlines.add(timer);
}

function intakeId(approval: string, { service, automation }: Sandbox): string {
  const { token = '' } = service.approvals().find(({ id }) => id === approval) ?? {};
  const asked = automation.asked(token);
  if (asked === undefined) throw new Error('The bot was not asked about this approval.');
  return asked.id;
}

function orThrow({ status }: IntakeAnswer): void {
  if (status >= 300) throw new Error(`The bot’s intake answered with status ${status}.`);
}
