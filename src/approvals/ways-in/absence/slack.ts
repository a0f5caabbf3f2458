import type { Core } from '../../../core/core.ts';
import type { Listeners } from '../../../core/slack/listeners.ts';
import { idsOf } from '../../../core/slack/slack-person.ts';
import { absencesNow, awayOf } from '../../electorate/absence.ts';
import type { HomePart } from '../list/home-flow.ts';
import type { MoreWords } from '../list/slack.ts';
import { answerAway, onBack, onDecline } from './away-command.ts';
import { AWAY_ACTIONS, awayBlocks } from './away-words.ts';
import { readAwayTyped } from './read-away.ts';

/** What people do about absences: in `/approvals`, on the Home tab, and with buttons. */
export function listenToAbsences(app: Listeners, core: Core): void {
  app.action(AWAY_ACTIONS.back, onBack(core));
  app.action(AWAY_ACTIONS.decline, onDecline(core));
}

export const absenceWords: MoreWords = {
  read(text) {
    const typed = readAwayTyped(text);
    return typed && ((core, present, press) => answerAway(core, present, typed, press));
  },

  help: '*`/approvals away until Friday`* sets you away: requests do not mention you by name. Add an @name to name a substitute, who can decide in your place where the route allows it. *`/approvals away`* shows it, *`/approvals back`* ends it.',
};

export const absenceAtHome: HomePart = async ({ store, lookup }, user) => {
  const absences = await absencesNow(store);
  const seen = lookup.lastSeen(user);
  return awayBlocks(awayOf(absences, seen === undefined ? [user] : idsOf(seen)));
};
