import { type Alarm, aboutOf, alarmSentence } from '../alert.ts';
import type { Approval } from '../approval.ts';
import type { Due, StepRules } from './step-rules.ts';

/** Give an alert to administrators. */
export interface RaiseAlert {
  readonly kind: 'alarm';
  readonly alarm: Alarm;
}

export function dueAlert({ alarms: [alarm] = [] }: Approval): Due<RaiseAlert> {
  return alarm === undefined ? null : { kind: 'alarm', alarm };
}

export const raiseAlert: StepRules<RaiseAlert, { readonly kind: 'done' }> = {
  // What it is about is saved first: the store may be gone when it is done.
  markAttempt: (approval) => ({ data: approval }),

  async execute({ access, raise }, id, _approval, { alarm }) {
    if (alarm.cause !== 'look-not-known' || (await access.isThirdNotKnown(id))) {
      await raise({ about: aboutOf(alarm), text: alarmSentence(alarm) });
    }
    return { kind: 'done' };
  },

  apply: (approval, { alarm }) => ({ data: withoutAlert(approval, alarm) }),
};

export function withAlert(approval: Approval, alarm: Alarm): Approval {
  const { alarms = [] } = withoutAlert(approval, alarm);
  return { ...approval, alarms: [...alarms, alarm] };
}

function withoutAlert({ alarms = [], ...rest }: Approval, alarm: Alarm): Approval {
  const others = alarms.filter((each) => aboutOf(each) !== aboutOf(alarm));
  return others.length === 0 ? rest : { ...rest, alarms: others };
}
