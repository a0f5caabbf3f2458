import type { Checkboxes, KnownBlock, ModalView, RadioButtons } from '@slack/types';
import { z } from 'zod';
import type { Core } from '../../../core/core.ts';
import { recordOnce } from '../../../core/engine/put-record.ts';
import { isSeen } from '../../../core/lib/clean-line.ts';
import { RemoteFailure } from '../../../core/lib/failure.ts';
import { context, section } from '../../../core/slack/blocks.ts';
import { defineForm, readForm } from '../../../core/slack/form.ts';
import { sentAtIn } from '../../../core/slack/http-receiver.ts';
import type { ActionArgs, Listeners, SubmitArgs } from '../../../core/slack/listeners.ts';
import { input, noticesOf, showError, showInstead } from '../../../core/slack/modal-blocks.ts';
import { deliveryOf, pressedIn } from '../../../core/slack/pressed.ts';
import { openThenShow } from '../../../core/slack/show-form.ts';
import { plain } from '../../../core/slack/text.ts';
import { StoreError } from '../../../core/store/store.ts';
import { titleOf } from '../../digest.ts';
import { routeNamed } from '../../electorate/route-for.ts';
import { contextOf } from '../../failure.ts';
import { shownOf } from '../../tell/message/elsewhere.ts';
import { NO_REASON, openedId, openedIn, reasonInput, submittedAt } from '../reason-form.ts';
import { pressedAtHome } from './home-flow.ts';
import { SELECT_ACTIONS, shownWhole } from './home-view.ts';
import { rowText } from './list-message.ts';
import { listForHome } from './list-requests.ts';
import type { FoundRequest } from './look-through.ts';
import { requestFacts } from './request-facts.ts';
import { SEVERAL_KIND, severalModal, severalRecord } from './several-flow.ts';

/** Deciding several requests of one route at once, if the route allows it (`routes.<name>.several`). */

const ROWS_MAX = 20;
const ROW = 'approvals.several.row.';
const DECISION = 'approvals.several.decision';
const REASON = 'approvals.several.reason';

const carried = z.strictObject({
  route: z.string(),
  /** For each: the record, its channel, and what was shown (`shownOf`). */
  rows: z.array(z.tuple([z.string(), z.string(), z.string()])),
});

const SEVERAL_FORM = defineForm({
  id: 'approvals.several',
  title: 'Several requests',
  carried,
});

const notice = noticesOf('approvals.several.none', 'Several requests');
const LOADING = notice('Loading…');
const NOT_SHOWN = 'The requests could not be shown. Press *Select…* again.';
const NOT_READ = 'Gatepost could not read your requests just now. Try again in a minute.';
const NONE = 'Nothing left to decide here. Press *Refresh* on the Home tab.';
const NONE_CHOSEN = 'Select at least one request.';
const NO_DECISION = 'Choose a decision.';
const TROUBLE = {
  unavailable: 'Gatepost could not store your decisions just now. Send again in a minute.',
  unknown:
    "It is not known whether your decisions were recorded. Check the requests' messages in a minute. If nothing has changed, send again.",
} as const;

/** The buttons on the Home tab, and their form. */
export function listenToSeveral(app: Listeners, core: Core): void {
  for (const id of SELECT_ACTIONS) app.action(id, onSelect(core));
  app.view(SEVERAL_FORM.id, onSeveral(core));
}

/** Shows the requests of a route that can be decided in this form. */
function onSelect(core: Core) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    await ack();
    const { user, value: route, at } = pressedIn(body);
    const viewer = { user, responseUrl: null, otherwise: NOT_SHOWN, trigger: body.trigger_id };
    await openThenShow(core, viewer, LOADING, () => selectModal(core, user, route, at));
  };
}

/** `openedAt`: when its button was pressed, by Slack's clock. */
async function selectModal(
  core: Core,
  user: string,
  route: string,
  openedAt: number | undefined,
): Promise<ModalView> {
  const rules = routeNamed(core, route);
  if (rules?.several !== true) return notice(NONE);
  try {
    const { listing } = await listForHome(core, user, { route }, ['waiting']);
    const all = listing.waiting?.requests ?? [];
    const rows = all.flatMap((request) => {
      const shown = shownWhole(request.approval, { routeNamed: () => rules });
      return shown === undefined ? [] : [{ request, shown }];
    });
    if (rows.length === 0) return notice(NONE);
    const offered = rows.slice(0, ROWS_MAX);
    const requests = offered.map(({ request }) => request);
    const facts = await requestFacts(core, user, requests);
    const left = all.length - offered.length;
    const { approve, reject } = rules.reason;
    const isAsked = approve !== 'none' || reject !== 'none';
    const isRequired = approve === 'required' && reject === 'required';
    return SEVERAL_FORM.view(
      { route, rows: requests.map(keysOf) },
      {
        submit: 'Send decisions',
        blocks: [
          ...offered.flatMap(({ request, shown }, at): KnownBlock[] => [
            {
              ...section(rowText('waiting', request, facts)),
              // Earlier versions accept no other member of what the form carries.
              ...(at === 0 && openedAt !== undefined && { block_id: openedId(openedAt) }),
            },
            ...shown,
            input(`${ROW}${at}`, titleOf(request.approval), choiceOf(at), { optional: true }),
          ]),
          ...(left > 0 ? [context(leftText(left))] : []),
          input(DECISION, 'Decision for the selected requests', decisions()),
          ...(isAsked ? [reasonInput(REASON, !isRequired)] : []),
        ],
      },
    );
  } catch (error) {
    if (error instanceof StoreError || error instanceof RemoteFailure) return notice(NOT_READ);
    throw error;
  }
}

function leftText(left: number): string {
  const what = left === 1 ? '1 more on this route is' : `${left} more on this route are`;
  const them = left === 1 ? 'it' : 'them';
  return `${what} not listed here. Review ${them} on the Home tab.`;
}

function keysOf({ id, approval }: FoundRequest): [string, string, string] {
  return [id, approval.channel, shownOf(approval)];
}

function choiceOf(at: number): Checkboxes {
  const option = { text: plain('Include'), value: 'yes' };
  return { type: 'checkboxes', action_id: `${ROW}${at}`, options: [option] };
}

function decisions(): RadioButtons {
  const options = [
    { text: plain('Approve'), value: 'approve' },
    { text: plain('Reject'), value: 'reject' },
  ];
  return { type: 'radio_buttons', action_id: DECISION, options };
}

/** Records them before Slack is acknowledged; the modal shows each result. */
function onSeveral(core: Core) {
  return async ({ body, view, ack, context: sent }: SubmitArgs): Promise<void> => {
    const form = readForm(view);
    const { route, rows } = SEVERAL_FORM.carriedIn(form);
    const titles = titlesIn(view);
    const chosen = rows.flatMap(([id, channel, digest], at) =>
      form.values.has(`${ROW}${at}`) ? [{ id, channel, digest, title: titles[at] ?? '' }] : [],
    );
    if (chosen.length === 0) return ack(showError(`${ROW}0`, NONE_CHOSEN));
    const rules = routeNamed(core, route);
    if (rules?.several !== true || rules.confirm) return ack(showInstead(notice(NONE)));
    const action = form.values.get(DECISION);
    if (action !== 'approve' && action !== 'reject') return ack(showError(DECISION, NO_DECISION));
    const said = form.values.get(REASON)?.trim() ?? '';
    const rule = rules.reason[action];
    const reason = isSeen(said) && rule !== 'none' ? said : undefined;
    if (rule === 'required' && reason === undefined) return ack(showError(REASON, NO_REASON));
    const user = body.user.id;
    const several = severalRecord(
      {
        user,
        action,
        ...(reason !== undefined && { reason: core.box.seal(reason, contextOf('reason')) }),
        view: view.id,
        ...submittedAt(sentAtIn(sent), openedIn(view)?.at),
      },
      chosen,
      core.store.now(),
    );
    try {
      const { carryOn } = await recordOnce(core, {
        kind: SEVERAL_KIND,
        data: JSON.stringify(several),
        key: deliveryOf(user, view.id, body.trigger_id),
        audit: {
          action: 'approvals.several',
          record: null,
          actor: user,
          facts: { route, action, count: chosen.length },
        },
      });
      await ack(showInstead(severalModal(several)));
      carryOn();
      await pressedAtHome(core, user, { route, pages: {} });
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      await ack(showError(DECISION, TROUBLE[error.code]));
    }
  };
}

const shownForm = z.looseObject({
  blocks: z.array(
    z.looseObject({
      block_id: z.string().optional(),
      label: z.looseObject({ text: z.string() }).optional(),
    }),
  ),
});

/** By position: each option has its request's title. */
function titlesIn(view: unknown): string[] {
  const { blocks } = shownForm.parse(view);
  return blocks.flatMap(({ block_id = '', label }) =>
    block_id.startsWith(ROW) && label !== undefined ? [label.text] : [],
  );
}
