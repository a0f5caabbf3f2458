import type { ApprovalState } from '../../sandbox/service/approval-state.ts';
import type { Message } from '../../sandbox/wire.ts';
import type { Call, Workspace } from '../../sandbox/workspace/workspace-handle.ts';
import { DEPLOYS, OUTCOMES } from '../support/world.ts';

/** What a message says about an outcome, and the status that it means. */
const CLAIMS = [
  [/Approved by|Approved elsewhere|\*Approved\*/, 'APPROVED'],
  [/Rejected by|Rejected elsewhere|\*Rejected\*/, 'REJECTED'],
  [/\*Timed out\*/, 'TIMED_OUT'],
] as const;

/**
 * Everything the bot ever wrote about an outcome that the service had not reported by then. `approvalOf` returns the
 * approval of a record, as far as the story knows it.
 */
export function liesIn(
  workspace: Workspace,
  approvalOf: (record: string) => ApprovalState | undefined,
): string[] {
  const posted = [DEPLOYS, OUTCOMES].flatMap((channel) => workspace.messages(channel));
  const recordByTs = new Map(posted.map((message) => [message.ts, recordOf(message)]));
  const writings = [
    ...posted.map((message) => ({
      record: recordOf(message),
      // An edited message has the time of its edit.
      at: Number(message.edited?.ts ?? message.ts) * 1_000,
      text: JSON.stringify(message.blocks),
    })),
    ...workspace.calls('chat.update').map((call) => ({
      record: recordByTs.get(String(call.args.ts)),
      at: call.at,
      text: JSON.stringify(call.args.blocks),
    })),
  ];
  return writings.flatMap(({ record, at, text }) => {
    const approval = record === undefined ? undefined : approvalOf(record);
    return approval === undefined || isTrue(text, at, approval) ? [] : [text];
  });
}

function isTrue(text: string, at: number, { status, resolvedAt }: ApprovalState): boolean {
  const claimed = CLAIMS.filter(([words]) => words.test(text)).map(([, claim]) => claim);
  if (claimed.length === 0) return true;
  const isOver = resolvedAt !== null && at >= Date.parse(resolvedAt);
  return isOver && claimed.every((claim) => claim === status);
}

function recordOf({ metadata }: Message): string | undefined {
  const record = metadata?.event_payload.record;
  return typeof record === 'string' ? record : undefined;
}

/** Messages without a text for notifications and screen readers. */
export function withoutText(workspace: Workspace): readonly Call[] {
  const methods = ['chat.postMessage', 'chat.update', 'chat.postEphemeral'];
  const said = methods.flatMap((method) => workspace.calls(method));
  return said.filter(({ args }) => typeof args.text !== 'string' || args.text.trim() === '');
}

/** Calls that Slack would never accept. */
export function malformed(workspace: Workspace): readonly Call[] {
  return workspace.calls().filter(({ error }) => error !== null && OUR_MISTAKES.test(error));
}

/** `invalid_auth` is about tokens, `expired_trigger_id` about time. */
const OUR_MISTAKES =
  /^(invalid_(?!auth)|msg_.*too_long|no_text|metadata_too|.*_not_supplied|unknown_method)/;
