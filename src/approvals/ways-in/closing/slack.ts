import type { MoreWords } from '../list/slack.ts';
import { answerClosing, readClosingTyped } from './closing-command.ts';

/** How people close and open routes in `/approvals`. */
export const closingWords: MoreWords = {
  read(text) {
    const typed = readClosingTyped(text);
    return typed && ((core, present, press) => answerClosing(core, present, typed, press));
  },

  help: '*`/approvals close production until Mon 08:00: Black Friday`* closes a route: requests wait, and nobody can approve them. *`/approvals open production`* opens it (Gatepost administrators and closers of the route; administrators also `all`).',
};
