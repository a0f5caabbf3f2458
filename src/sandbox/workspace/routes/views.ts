import { isObject } from '../../exchange.ts';
import type { View } from '../../wire.ts';
import { type Args, jsonArg, textArg } from '../args.ts';
import { viewProblems } from '../blocks/check-blocks.ts';
import { homeId, keepView, newViewId, type Placement } from '../open-views.ts';
import { Refusal, refusalWith } from '../refusal.ts';
import type { MethodWorld, WebMethod, WebMethods } from '../web-method.ts';
import type { OpenView } from '../world.ts';

function readView(args: Args, type: 'modal' | 'home'): Record<string, unknown> {
  const value = jsonArg(args, 'view', 'invalid_arguments');
  const problems = viewProblems(value);
  if (problems.length > 0) throw refusalWith('invalid_arguments', problems);
  if (!isObject(value) || value.type !== type) {
    throw refusalWith('invalid_arguments', ['must be another type of view [json-pointer:/view]']);
  }
  return value;
}

/** A trigger serves once, within three seconds of the click. */
function spendTrigger(args: Args, at: MethodWorld): string {
  const trigger = at.world.triggers.get(textArg(args, 'trigger_id'));
  if (!trigger) throw new Refusal('invalid_trigger_id');
  if (trigger.used) throw new Refusal('exchanged_trigger_id');
  if (trigger.expiresAt <= at.now()) throw new Refusal('expired_trigger_id');
  trigger.used = true;
  return trigger.user;
}

const open: WebMethod = {
  required: ['trigger_id', 'view'],
  run: (args, at) => {
    const given = readView(args, 'modal');
    const user = spendTrigger(args, at);
    const id = newViewId(at.world);
    return {
      view: keepView(at.world, given, { user, id, rootId: id, previousId: null }, at.now()),
    };
  },
};

function checkHash(args: Args, known: View): void {
  const hash = textArg(args, 'hash');
  if (hash && hash !== known.hash) throw new Refusal('hash_conflict');
}

function placementOf({ user, view }: OpenView): Placement {
  const { id, root_view_id: rootId, previous_view_id: previousId } = view;
  return { user, id, rootId, previousId };
}

const update: WebMethod = {
  required: ['view'],
  run: (args, at) => {
    const known = at.world.views.get(textArg(args, 'view_id'));
    if (!known) throw new Refusal('not_found');
    const given = readView(args, 'modal');
    checkHash(args, known.view);
    return { view: keepView(at.world, given, placementOf(known), at.now()) };
  },
};

const publish: WebMethod = {
  required: ['user_id', 'view'],
  run: (args, at) => {
    const user = textArg(args, 'user_id');
    if (!at.world.users.has(user)) throw new Refusal('user_not_found');
    const given = readView(args, 'home');
    const id = homeId(user);
    const known = at.world.views.get(id);
    if (known) checkHash(args, known.view);
    return {
      view: keepView(at.world, given, { user, id, rootId: id, previousId: null }, at.now()),
    };
  },
};

export const viewMethods: WebMethods = {
  'views.open': open,
  'views.update': update,
  'views.publish': publish,
};
