import { type ApprovalAlert, aboutOf, alertSentence } from '../alert.ts';
import type { Approval } from '../approval.ts';
import type { Due, StepRules } from './step-rules.ts';

/** Give an alert to administrators. */
export interface AlertAdministrators {
  readonly kind: 'alert';
  readonly alarm: ApprovalAlert;
}

export function dueAlert({ alerts: [alarm] = [] }: Approval): Due<AlertAdministrators> {
  return alarm === undefined ? null : { kind: 'alert', alarm };
}

export const alertAdministrators: StepRules<AlertAdministrators, { readonly kind: 'done' }> = {
  // What it is about is saved first: the store may be gone when it is done.
  markAttempt: (approval) => ({ data: approval }),

  async execute({ access, raise }, id, _approval, { alarm }) {
    if (alarm.cause !== 'look-not-known' || (await access.isThirdNotKnown(id))) {
      await raise({ about: aboutOf(alarm), text: alertSentence(alarm) });
    }
    return { kind: 'done' };
  },

  apply: (approval, { alarm }) => ({ data: withoutAlert(approval, alarm) }),
};

export function withAlert(approval: Approval, alarm: ApprovalAlert): Approval {
  const { alerts = [] } = withoutAlert(approval, alarm);
  return { ...approval, alerts: [...alerts, alarm] };
}

function withoutAlert({ alerts = [], ...rest }: Approval, alarm: ApprovalAlert): Approval {
  const others = alerts.filter((each) => aboutOf(each) !== aboutOf(alarm));
  return others.length === 0 ? rest : { ...rest, alerts: others };
}
