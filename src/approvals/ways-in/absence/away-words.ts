import type { Button, KnownBlock } from '@slack/types';
import { actions, button, section } from '../../../core/slack/blocks.ts';
import type { SlackLinks } from '../../../core/slack/links.ts';
import type { SlackMessage } from '../../../core/slack/outbox.ts';
import { dateText } from '../../../core/slack/text.ts';
import { type Absence, type AwayOf, type Notice, shownId } from '../../electorate/absence.ts';

/** Texts about absences, and their buttons. */

export const AWAY_ACTIONS = {
  back: 'approvals.away.back',
  /** Its value: the first id of the absent person. */
  decline: 'approvals.away.decline',
} as const;

export function endText({ until }: Pick<Absence, 'until'>): string {
  return dateText(until, new Date(until).toISOString());
}

/** About the person's own absence. `end`: when it ends, in words. */
export function ownText(absence: Absence, end = endText(absence)): string {
  return `*You are away until ${end}.* Requests do not mention you by name until then. ${substituteText(absence)}`;
}

function substituteText({ substitute }: Absence): string {
  if (substitute === undefined) return 'Nobody stands in for you.';
  const who = `<@${shownId(substitute.ids)}>`;
  if (substitute.declinedAt === undefined) return `${who} stands in for you.`;
  return `${who} declined to stand in for you.`;
}

export function backButton(): Button {
  return button(AWAY_ACTIONS.back, "I'm back", '-');
}

/** A message has at most 50 blocks, and the Home tab has more to show. */
const GIVEN_MAX = 10;

/** Whether somebody is away, and whom they represent; empty if neither. */
export function awayBlocks({ own, given }: AwayOf): KnownBlock[] {
  const shown = given.slice(0, GIVEN_MAX);
  const left = given.length - shown.length;
  return [
    ...(own === undefined ? [] : [{ ...section(ownText(own)), accessory: backButton() }]),
    ...shown.map((absence) => ({
      ...section(`*You stand in for <@${shownId(absence.ids)}>* until ${endText(absence)}.`),
      accessory: declineButton(absence.ids[0]),
    })),
    ...(left === 0 ? [] : [section(`You also stand in for ${left} more.`)]),
  ];
}

function declineButton(of: string): Button {
  return button(AWAY_ACTIONS.decline, 'Decline', of);
}

/** A message holds about 10,000 characters, a section 3,000. */
const LINES_MAX = 50;
const LINES_OF_SECTION = 15;

/** Everybody who is away, for administrators; soonest back first. */
export function everybodyBlocks(absences: readonly Absence[]): KnownBlock[] {
  if (absences.length === 0) return [section('*Nobody is away.*')];
  const sorted = absences.toSorted((one, other) => one.until - other.until);
  const lines = sorted.slice(0, LINES_MAX).map(lineOf);
  const left = sorted.length - lines.length;
  if (left > 0) lines.push(`And ${left} more.`);
  const pieces = Array.from({ length: Math.ceil(lines.length / LINES_OF_SECTION) }, (_, at) =>
    lines.slice(at * LINES_OF_SECTION, (at + 1) * LINES_OF_SECTION).join('\n'),
  );
  return [section(`*Away now: ${absences.length}*`), ...pieces.map(section)];
}

function lineOf(absence: Absence): string {
  const { ids, substitute } = absence;
  const declined = substitute?.declinedAt === undefined ? '' : ' (declined)';
  const place = substitute === undefined ? 'none' : `<@${shownId(substitute.ids)}>${declined}`;
  return `• <@${shownId(ids)}> · until ${endText(absence)} · Substitute: ${place}`;
}

const NAME_ANOTHER = 'To name somebody else, type `/approvals away @name`.';

/** A direct message; it needs no mentions, because only its recipient is notified. */
export function noticeMessage(
  notice: Pick<Notice, 'kind' | 'of' | 'until'>,
  { ids }: Pick<Absence, 'ids'>,
  { person }: Pick<SlackLinks, 'person'>,
): SlackMessage {
  const { kind, of } = notice;
  const who = person(of);
  switch (kind) {
    case 'named': {
      const text = `You stand in for ${who} until ${endText(notice)}: they named you as substitute.`;
      const means =
        'Until then you can approve or reject requests in their place, on routes that allow substitutes.';
      const next = 'If you cannot do that, press *Decline*. They will be told.';
      const blocks = [
        section(`*${text}*\n${means}\n${next}`),
        actions('approvals.away.named', [declineButton(ids[0])]),
      ];
      return { text, blocks };
    }
    case 'back':
      return told(`*You no longer stand in for ${who}.* They are back.`);
    case 'replaced':
      return told(`*You no longer stand in for ${who}.* They named another substitute.`);
    case 'declined':
      return told(`*Nobody stands in for you now:* ${who} declined. ${NAME_ANOTHER}`);
    case 'away':
      return told(`*Your substitute ${who} is away too until ${endText(notice)}.* ${NAME_ANOTHER}`);
  }
}

function told(text: string): SlackMessage {
  return { text, blocks: [section(text)] };
}
