import { isObject } from '../../exchange.ts';
import { type Args, jsonArg, textArg } from '../args.ts';
import { viewProblems } from '../blocks/check-blocks.ts';
import {
  findView,
  homeId,
  keepView,
  mostViews,
  newViewId,
  type Placement,
  stackOf,
} from '../open-views.ts';
import { Refusal, refusalWith } from '../refusal.ts';
import type { MethodWorld, WebMethod, WebMethods } from '../web-method.ts';
import type { OpenView, Trigger } from '../world.ts';

/** Slack's limit of a view is 250 KB. */
const mostCharacters = 250_000;

function readView(args: Args, type: 'modal' | 'home'): Record<string, unknown> {
  const value = jsonArg(args, 'view', 'invalid_arguments');
  if (JSON.stringify(value).length > mostCharacters) throw new Refusal('view_too_large');
  const problems = viewProblems(value);
  if (problems.length > 0) throw refusalWith('invalid_arguments', problems);
  if (!isObject(value) || value.type !== type) {
    throw refusalWith('invalid_arguments', [
      'must be a valid enum value [json-pointer:/view/type]',
    ]);
  }
  return value;
}

/** An `external_id` is unique in the workspace. @param own the id of the view that may have it. */
function checkExternalId(given: Record<string, unknown>, at: MethodWorld, own?: string): void {
  const { external_id } = given;
  if (typeof external_id !== 'string' || external_id === '') return;
  const other = findView(at.world, external_id);
  if (other && other.view.id !== own) throw new Refusal('duplicate_external_id');
}

/** A trigger works once, within three seconds of the person's action. */
function spendTrigger(args: Args, at: MethodWorld): Trigger {
  const trigger = at.world.triggers.get(textArg(args, 'trigger_id'));
  if (!trigger) throw new Refusal('invalid_trigger_id');
  if (trigger.used) throw new Refusal('exchanged_trigger_id');
  if (trigger.expiresAt <= at.now()) throw new Refusal('expired_trigger_id');
  trigger.used = true;
  return trigger;
}

const triggerErrors = [
  'duplicate_external_id',
  'exchanged_trigger_id',
  'expired_trigger_id',
  'invalid_trigger_id',
  'view_too_large',
];

const open: WebMethod = {
  required: ['trigger_id', 'view'],
  errors: triggerErrors,
  run: (args, at) => {
    const given = readView(args, 'modal');
    checkExternalId(given, at);
    const { user, channel } = spendTrigger(args, at);
    const id = newViewId(at.world);
    const placement = { user, id, rootId: id, previousId: null, channel };
    return { view: keepView(at.world, given, placement, at.now()) };
  },
};

const push: WebMethod = {
  required: ['trigger_id', 'view'],
  errors: [...triggerErrors, 'not_found', 'push_limit_reached'],
  run: (args, at) => {
    const given = readView(args, 'modal');
    checkExternalId(given, at);
    const { user, viewId = '' } = spendTrigger(args, at);
    const below = at.world.views.get(viewId);
    if (below?.view.type !== 'modal') throw new Refusal('not_found');
    const stack = stackOf(at.world, below);
    if (stack.length >= mostViews) throw new Refusal('push_limit_reached');
    const previousId = stack.at(-1)?.view.id ?? viewId;
    const rootId = below.view.root_view_id;
    const { channel } = below;
    const placement = { user, id: newViewId(at.world), rootId, previousId, channel };
    return { view: keepView(at.world, given, placement, at.now()) };
  },
};

function checkHash(args: Args, { view }: OpenView): void {
  const hash = textArg(args, 'hash');
  if (hash && hash !== view.hash) throw new Refusal('hash_conflict');
}

function placementOf({ user, view, channel }: OpenView): Placement {
  const { id, root_view_id: rootId, previous_view_id: previousId } = view;
  return { user, id, rootId, previousId, channel };
}

const update: WebMethod = {
  required: ['view'],
  optional: ['external_id', 'hash', 'view_id'],
  errors: ['duplicate_external_id', 'hash_conflict', 'not_found', 'view_too_large'],
  run: (args, at) => {
    const known =
      at.world.views.get(textArg(args, 'view_id')) ??
      findView(at.world, textArg(args, 'external_id'));
    if (!known) throw new Refusal('not_found');
    const given = readView(args, known.view.type);
    checkExternalId(given, at, known.view.id);
    checkHash(args, known);
    return { view: keepView(at.world, given, placementOf(known), at.now()) };
  },
};

const publish: WebMethod = {
  required: ['user_id', 'view'],
  optional: ['hash'],
  errors: ['duplicate_external_id', 'hash_conflict', 'not_enabled', 'view_too_large'],
  run: (args, at) => {
    if (!at.manifest.homeTab) throw new Refusal('not_enabled');
    const user = textArg(args, 'user_id');
    if (!at.world.users.has(user)) {
      throw refusalWith('invalid_arguments', ['invalid `user_id`']);
    }
    const given = readView(args, 'home');
    const id = homeId(user);
    checkExternalId(given, at, id);
    const known = at.world.views.get(id);
    if (known) checkHash(args, known);
    return {
      view: keepView(at.world, given, { user, id, rootId: id, previousId: null }, at.now()),
    };
  },
};

export const viewMethods: WebMethods = {
  'views.open': open,
  'views.push': push,
  'views.update': update,
  'views.publish': publish,
};
