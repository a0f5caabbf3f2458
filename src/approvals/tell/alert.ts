import type { Due } from '../../core/engine/first-due.ts';
import { type ApprovalAlert, aboutOf, alertSentence } from '../alert.ts';
import type { Approval } from '../approval.ts';
import type { ApprovalStep } from '../decision/approval-core.ts';

/** Send an alert to administrators. */
export interface AlertAdministrators {
  readonly kind: 'alert';
  readonly alert: ApprovalAlert;
}

export function dueAlert({ alerts: [alert] = [] }: Approval): Due<AlertAdministrators> {
  return alert === undefined ? null : { kind: 'alert', alert };
}

export const alertAdministrators: ApprovalStep<AlertAdministrators, { readonly kind: 'done' }> = {
  // Saved beforehand: the record may be gone afterwards.
  markAttempt: (approval) => ({ data: approval }),

  async execute({ serviceAnswers, raise }, id, _approval, { alert }) {
    if (alert.cause !== 'look-not-known' || (await serviceAnswers.isThirdNotKnown(id))) {
      await raise({ about: aboutOf(alert), text: alertSentence(alert) });
    }
    return { kind: 'done' };
  },

  apply: (approval, { alert }) => ({ data: withoutAlert(approval, alert) }),
};

export function withAlert(approval: Approval, alert: ApprovalAlert): Approval {
  const { alerts = [] } = withoutAlert(approval, alert);
  return { ...approval, alerts: [...alerts, alert] };
}

function withoutAlert({ alerts = [], ...rest }: Approval, alert: ApprovalAlert): Approval {
  const others = alerts.filter((each) => aboutOf(each) !== aboutOf(alert));
  return others.length === 0 ? rest : { ...rest, alerts: others };
}
