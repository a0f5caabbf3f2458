import type { Sandbox } from '../sandbox.ts';
import type { ApprovalState } from '../service/approval-state.ts';
import type { Service } from '../service/service-handle.ts';
import type { PageMemory } from './page-memory.ts';
import type { PageApproval } from './page-state.ts';

/** Approvals of the service, the newest first. */
export function approvalsState({ service }: Sandbox, memory: PageMemory): PageApproval[] {
  const shown = service.approvals().map((approval) => ({
    id: approval.id,
    title: memory.titles.get(approval.id) ?? approval.prompt,
    status: approval.status,
    effects: approval.effects.map((effect) =>
      effect.through === 'elsewhere'
        ? 'in the service itself'
        : `by ${nameOf(effect.userId, service)}`,
    ),
    canCheck: !isKnownToBot(approval, service),
    isAsked: memory.intakeIds.has(approval.id),
  }));
  return shown.reverse();
}

function nameOf(userId: string | null, service: Service): string {
  return service.users().find(({ id }) => id === userId)?.displayName ?? 'nobody named';
}

/** It is pending, was decided through the bot, or the bot has looked since it ended. */
function isKnownToBot({ token, effects, resolvedAt }: ApprovalState, service: Service): boolean {
  if (resolvedAt === null || effects.some((effect) => effect.through === 'interface')) return true;
  const looks = service.requests('getApproval').filter((look) => look.token === token);
  return looks.some((look) => look.answered === 200 && look.at >= Date.parse(resolvedAt));
}
