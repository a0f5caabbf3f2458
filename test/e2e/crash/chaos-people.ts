import type { Sandbox } from '../../../sandbox/sandbox.ts';
import type { ApprovalAction } from '../../../sandbox/service/approval-state.ts';
import { messageOf, readable } from '../../support/world.ts';
import type { MortalBot } from './mortal-bot.ts';

export interface ChaosNeeds {
  readonly sandbox: Sandbox;
  readonly bot: Pick<MortalBot, 'up'>;
  readonly random: () => number;
}

/** One approval in a chaos, and the clicks on it that Slack saw acknowledged. */
export interface Gate {
  readonly id: string;
  readonly token: string;
  readonly channel: string;
  readonly clicks: readonly AcknowledgedClick[];
}

export interface AcknowledgedClick {
  readonly user: string;
  readonly action: ApprovalAction;
}

const LABELS = { approve: 'Approve', reject: 'Reject' } as const;
const POSTED_MS = 180_000;

/** An automation asks; then one person decides, or two at once, or somebody elsewhere is faster. */
export async function decideTogether(needs: ChaosNeeds, channel: string): Promise<Gate> {
  const { sandbox, random } = needs;
  const { service, workspace } = sandbox;
  const asked = { channel, ...(await askUntilTaken(needs, channel)) };
  await sandbox.until(() => messageOf(workspace.messages(channel), asked.id), {
    what: 'a message',
    timeoutMs: POSTED_MS,
  });
  const chance = random();
  if (chance < 0.05) service.timeOut(asked.token);
  else if (chance < 0.1) service.decide(asked.token, 'approve');
  const users = chance < 0.4 ? ['U0ANA', 'U0BEN'] : [random() < 0.5 ? 'U0ANA' : 'U0BEN'];
  const clicks = await Promise.all(
    users.map((user) =>
      press(needs, asked, { user, action: random() < 0.7 ? 'approve' : 'reject' }),
    ),
  );
  return { ...asked, clicks: clicks.flatMap((click) => click ?? []) };
}

/** As automations do: the same token again until the intake has taken it. */
async function askUntilTaken({ sandbox, bot }: ChaosNeeds, channel: string) {
  const { token } = sandbox.service.createApproval();
  for (;;) {
    await bot.up();
    const asked = await sandbox.automation.ask({ token, channel }).catch(() => undefined);
    if (asked !== undefined && asked.id !== '') return { id: asked.id, token };
  }
}

/** As people do: again while Slack says that it failed and the button is there. */
async function press(
  { sandbox, bot }: ChaosNeeds,
  { channel, id }: Pick<Gate, 'channel' | 'id'>,
  click: AcknowledgedClick,
): Promise<AcknowledgedClick | undefined> {
  const { workspace } = sandbox;
  const label = LABELS[click.action];
  for (;;) {
    await bot.up();
    const message = messageOf(workspace.messages(channel), id);
    if (message === undefined || !readable(message).split('\n').includes(label)) return undefined;
    const { user } = click;
    const { acknowledged } = await workspace.click({ user, channel, ts: message.ts, label });
    if (acknowledged) return click;
  }
}
