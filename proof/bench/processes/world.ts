import process from 'node:process';
import { announce } from '../support/announce.ts';
import { Channels } from '../support/channels.ts';
import { Clicker } from '../support/clicker.ts';
import { Commander } from '../support/commander.ts';
import { Follower } from '../support/follower.ts';
import { type Answered, changeGroup, startStandIn } from '../support/stand-in.ts';
import { Visitor } from '../support/visitor.ts';
import type {
  AskRequest,
  BurstRequest,
  ChannelsRequest,
  CommandsRequest,
  GroupRequest,
  Posted,
  PostsRequest,
  TellRequest,
  VisitsRequest,
  WorldAnswer,
  WorldRequest,
} from '../support/world.ts';

/** Slack, the service and the people who click, in one process, so that all times come from one clock. */
const clicker = new Clicker();
const commander = new Commander();
const visitor = new Visitor();
const follower = new Follower();
const holdMs = Number(process.env.HOLD_MS ?? 0);
const slackMs = Number(process.env.SLACK_MS ?? 0);
const serviceMs = Number(process.env.SERVICE_MS ?? 0);
const channels = process.env.PACED === undefined ? undefined : new Channels();
let posts = 0;
let lastAt = 0;
let awaited: { readonly posts: number; readonly tell: () => void } | undefined;

announce(
  await startStandIn({ slackMs, serviceMs, holdMs, channels }, (call: Answered) => {
    clicker.noticed(call);
    commander.noticed(call);
    visitor.noticed(call);
    follower.noticed(call);
    if (call.operation !== 'chat.postMessage') return;
    posts += 1;
    lastAt = Date.now();
    if (awaited !== undefined && posts >= awaited.posts) awaited.tell();
  }),
);

// as: `startWorld` sends nothing else
process.on('message', async (message) => {
  const request = message as
    | WorldRequest
    | PostsRequest
    | CommandsRequest
    | VisitsRequest
    | TellRequest
    | AskRequest
    | BurstRequest
    | GroupRequest
    | ChannelsRequest;
  if ('posts' in request) {
    if (posts < request.posts) {
      await new Promise<void>((tell) => {
        awaited = { posts: request.posts, tell };
      });
    }
    process.send?.({ posts, lastAt } satisfies Posted);
  } else if ('commands' in request) {
    process.send?.(await commander.run(request));
  } else if ('visitors' in request) {
    process.send?.(await visitor.run(request.eventsUrl, request.visitors));
  } else if ('told' in request) {
    process.send?.(await follower.tell(request));
  } else if ('asks' in request) {
    process.send?.(await follower.ask(request));
  } else if ('presses' in request) {
    process.send?.(await follower.burst(request));
  } else if ('members' in request) {
    changeGroup(request.group, request.members);
    process.send?.({});
  } else if ('isSilent' in request) {
    if (channels === undefined) throw new Error('this world has no channels');
    channels.isSilent = request.isSilent;
    process.send?.(channels.report());
  } else {
    const { eventsUrls, clicks, atOnce, isOnlyAcknowledged } = request;
    const startedAt = performance.now();
    const clicked = await clicker.run(eventsUrls, clicks, atOnce, !isOnlyAcknowledged);
    const tookMs = performance.now() - startedAt;
    const { repeated } = clicker;
    const { published } = visitor;
    process.send?.({ clicked, tookMs, repeated, published } satisfies WorldAnswer);
  }
});
