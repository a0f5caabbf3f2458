import type { ModalView } from '@slack/types';
import * as z from 'zod';
import type { Core } from '../../../core/core.ts';
import { recordOnce } from '../../../core/engine/put-record.ts';
import { RemoteFailure } from '../../../core/lib/failure.ts';
import { defineForm, readForm } from '../../../core/slack/form.ts';
import { sentAtIn } from '../../../core/slack/http-receiver.ts';
import type { ActionArgs, Listeners, SubmitArgs } from '../../../core/slack/listeners.ts';
import { noticesOf, showError, showInstead } from '../../../core/slack/modal-blocks.ts';
import { deliveryOf, pressedIn, viewerIn } from '../../../core/slack/pressed.ts';
import { openThenShow, showIn } from '../../../core/slack/show-form.ts';
import { StoreError } from '../../../core/store/store.ts';
import { routeNamed } from '../../electorate/route-for.ts';
import { contextOf } from '../../failure.ts';
import { shownOf } from '../../tell/message/elsewhere.ts';
import { NO_REASON, openedIn, reasonIn, submittedAt } from '../reason-form.ts';
import { pressedAtHome } from './home-flow.ts';
import { SELECT_ACTIONS, shownWhole } from './home-view.ts';
import { listForHome } from './list-requests.ts';
import { SEVERAL_KIND, severalModal, severalRecord } from './several-flow.ts';
import {
  ALL_ACTION,
  DECISION,
  formBlocks,
  type Offer,
  offered,
  PICK_ACTION,
  REASON,
  reselected,
  rowsIn,
} from './several-form.ts';

/** Deciding several requests of one route at once, if the route allows it (`routes.<name>.several`). */

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
const NOT_UPDATED =
  'Gatepost could not update your form. The requests that are ticked in it are the ones you decide.';
const SUBMIT = 'Send decisions';
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
  const updates: Updates = new Map();
  app.action(PICK_ACTION, onSelection(core, updates, false));
  app.action(ALL_ACTION, onSelection(core, updates, true));
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
    const offers = all.flatMap((request) => {
      const shown = shownWhole(request.approval, { routeNamed: () => rules });
      return shown === undefined ? [] : [{ request, shown }];
    });
    if (offers.length === 0) return notice(NONE);
    const rows = offered(offers);
    const facts = {
      ...{ user, rules, timeZone: core.lookup.lastSeen(user)?.timeZone ?? null },
      nameOf: (id: string) => core.lookup.lastSeen(id)?.displayName,
    };
    return SEVERAL_FORM.view(
      { route, rows: rows.map(keysOf) },
      { submit: SUBMIT, blocks: formBlocks(rows, all.length - rows.length, openedAt, facts) },
    );
  } catch (error) {
    if (error instanceof StoreError || error instanceof RemoteFailure) return notice(NOT_READ);
    throw error;
  }
}

function keysOf({ request: { id, approval } }: Offer): [string, string, string] {
  return [id, approval.channel, shownOf(approval)];
}

/** For each open form the hashes of its updates in a row: whoever presses quickly has not seen the last one. */
type Updates = Map<string, Promise<readonly string[]>>;

/** Far more forms than people have open at a time. */
const FORMS_MAX = 1_000;

/**
 * Something was selected: updates the number in the form and, if asked to, all its checkboxes. Two presses in a row that
 * reach two replicas can leave the number of the first one; what is sent is what is ticked.
 */
function onSelection(core: Core, updates: Updates, isAll: boolean) {
  return async ({ body, ack }: ActionArgs): Promise<void> => {
    await ack();
    const form = readForm(body.view);
    const blocks = reselected(body.view, isAll ? pressedIn(body) : undefined);
    const next = SEVERAL_FORM.view(SEVERAL_FORM.carriedIn(form), { submit: SUBMIT, blocks });
    const update = async (seen: readonly string[]): Promise<readonly string[]> => {
      const hash = (seen.includes(form.hash) && seen.at(-1)) || form.hash;
      const shown = await showIn(core, { id: form.id, hash }, viewerIn(body, NOT_UPDATED), next);
      if (shown?.hash === undefined) return seen;
      // A press on checkboxes that were replaced must not bring them back.
      return isAll ? [shown.hash] : [...seen, form.hash, shown.hash];
    };
    const turn = (updates.get(form.id) ?? Promise.resolve([])).then(update);
    const ended = turn.catch(() => []);
    updates.delete(form.id);
    updates.set(form.id, ended);
    const [oldest] = updates.keys();
    if (updates.size > FORMS_MAX && oldest !== undefined) updates.delete(oldest);
    await turn;
  };
}

/** Records them before Slack is acknowledged; the modal shows each result. */
function onSeveral(core: Core) {
  return async ({ body, view, ack, context: sent }: SubmitArgs): Promise<void> => {
    const form = readForm(view);
    const { route, rows } = SEVERAL_FORM.carriedIn(form);
    const picked = rowsIn(view);
    const chosen = rows.flatMap(([id, channel, digest], at) => {
      const { title, isPicked } = picked[at] ?? {};
      return isPicked && title !== undefined ? [{ id, channel, digest, title }] : [];
    });
    if (chosen.length === 0) return ack(showError(DECISION, NONE_CHOSEN));
    const rules = routeNamed(core, route);
    if (rules?.several !== true || rules.confirm) return ack(showInstead(notice(NONE)));
    const action = form.values.get(DECISION);
    if (action !== 'approve' && action !== 'reject') return ack(showError(DECISION, NO_DECISION));
    const rule = rules.reason[action];
    const reason = rule === 'none' ? undefined : reasonIn(form, REASON);
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
