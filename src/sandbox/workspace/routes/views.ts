import { isObject } from '../../exchange.ts';
import type { View } from '../../wire.ts';
import { type Args, jsonArg, textArg } from '../args.ts';
import { viewProblems } from '../check-blocks.ts';
import { withIds } from '../message-content.ts';
import { Refusal, refusalWith } from '../refusal.ts';
import { bot, team } from '../seed.ts';
import type { MethodWorld, WebMethod, WebMethods } from '../web-method.ts';

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

function keep(at: MethodWorld, user: string, given: Record<string, unknown>, id: string): View {
  at.world.counter += 1;
  const hash = `${Math.floor(at.now() / 1000)}.${at.world.counter.toString(36)}`;
  const view: View = {
    callback_id: '',
    private_metadata: '',
    ...given,
    // The type was checked when the view was read.
    type: given.type as View['type'],
    // biome-ignore format: a checked view holds a list of blocks
    blocks: withIds(given.blocks as View['blocks'], at.world),
    id,
    team_id: team.id,
    state: { values: {} },
    hash,
    root_view_id: id,
    previous_view_id: null,
    app_id: bot.appId,
    bot_id: bot.botId,
  };
  at.world.views.set(id, { user, view });
  return view;
}

const open: WebMethod = {
  required: ['trigger_id', 'view'],
  run: (args, at) => {
    const given = readView(args, 'modal');
    const user = spendTrigger(args, at);
    at.world.counter += 1;
    return { view: keep(at, user, given, `V0${at.world.counter.toString(36).toUpperCase()}`) };
  },
};

function checkHash(args: Args, known: View): void {
  const hash = textArg(args, 'hash');
  if (hash && hash !== known.hash) throw new Refusal('hash_conflict');
}

const update: WebMethod = {
  required: ['view'],
  run: (args, at) => {
    const known = at.world.views.get(textArg(args, 'view_id'));
    if (!known) throw new Refusal('not_found');
    const given = readView(args, 'modal');
    checkHash(args, known.view);
    return { view: keep(at, known.user, given, known.view.id) };
  },
};

const publish: WebMethod = {
  required: ['user_id', 'view'],
  run: (args, at) => {
    const user = textArg(args, 'user_id');
    if (!at.world.users.has(user)) throw new Refusal('user_not_found');
    const given = readView(args, 'home');
    const id = `VHOME${user}`;
    const known = at.world.views.get(id);
    if (known) checkHash(args, known.view);
    return { view: keep(at, user, given, id) };
  },
};

export const viewMethods: WebMethods = {
  'views.open': open,
  'views.update': update,
  'views.publish': publish,
};
