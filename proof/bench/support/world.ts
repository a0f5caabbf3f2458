import { benchProgram } from './build.ts';
import type { ChannelsReport } from './channels.ts';
import { type Child, startChild } from './child.ts';
import type { Click } from './click.ts';
import type { Clicked } from './clicker.ts';
import type { Visited } from './visitor.ts';

export interface WorldRequest {
  /** One per bot; each person clicks at one of them. */
  readonly eventsUrls: readonly string[];
  readonly clicks: readonly Click[];
  /** Clicks that wait for their outcome at a time. */
  readonly atOnce: number;
  /** For a bot that shows no outcome: each click waits for its acknowledgement. */
  readonly isOnlyAcknowledged?: boolean;
}

export interface WorldAnswer {
  readonly clicked: readonly Clicked[];
  /** Decisions sent to the service for approvals that already had one, since the start. */
  readonly repeated: number;
  readonly tookMs: number;
  /** Home tabs published since the start. */
  readonly published: number;
}

/** How many messages must be posted before it is answered. */
export interface PostsRequest {
  readonly posts: number;
}

export interface Posted {
  readonly posts: number;
  /** Epoch in ms. */
  readonly lastAt: number;
}

/** One signed request at a time; answered once its modal is open or, with `isFilled`, filled. */
export interface CommandsRequest {
  readonly eventsUrl: string;
  readonly commands: number;
  /** Waits until the form has its fields. */
  readonly isFilled?: boolean;
}

/** The people who open their Home tab, one after the other. */
export interface VisitsRequest {
  readonly eventsUrl: string;
  readonly visitors: readonly string[];
}

/** Presses, one after the other, each until Slack has these posts of its approval. */
export interface TellRequest {
  readonly eventsUrl: string;
  readonly told: readonly Click[];
  /** The names in the metadata of the posts. */
  readonly names: readonly string[];
}

/** Approvals requested at this address, one after the other, each until Slack has its message. */
export interface AskRequest {
  readonly asks: number;
  readonly botUrl: string;
}

/** Presses spread evenly over a time, independent of the results of earlier ones. */
export interface BurstRequest {
  readonly eventsUrl: string;
  readonly presses: readonly Click[];
  readonly withinMs: number;
}

/** Who is in a user group from now on. */
export interface GroupRequest {
  readonly group: string;
  readonly members: readonly string[];
}

/** Whether Slack answers from now on. */
export interface ChannelsRequest {
  readonly isSilent: boolean;
}

/** The stand-ins for Slack and the service, with people who can click. */
export interface World extends AsyncDisposable {
  readonly url: string;
  click(request: WorldRequest): Promise<WorldAnswer>;
  /** Waits for at least that many posted messages; returns their number and when the last one was posted. */
  posts(atLeast: number): Promise<Posted>;
  /** Types `/new-case` several times; in ms each, until the modal was opened. */
  command(request: CommandsRequest): Promise<readonly number[]>;
  /** In ms from each press, by the name of the post; `shown` is the message itself. */
  tell(request: TellRequest): Promise<readonly Readonly<Record<string, number>>[]>;
  /** In ms each, from the request to its message. */
  ask(request: AskRequest): Promise<readonly number[]>;
  /** In ms each, until it was acknowledged. */
  burst(request: BurstRequest): Promise<readonly number[]>;
  changeGroup(request: GroupRequest): Promise<void>;
  /** Opens Home tabs. */
  visit(request: VisitsRequest): Promise<readonly Visited[]>;
  /** Makes a Slack that `isPaced` answer or stay silent, and returns what it has accepted so far. */
  channels(request: ChannelsRequest): Promise<ChannelsReport>;
}

/**
 * `slackMs`, `serviceMs`: how long an answer takes; `holdMs`: how long the service delays a status response; `isPaced`:
 * Slack refuses posts above a channel's rate.
 */
export async function startWorld({
  slackMs = 0,
  serviceMs = 0,
  holdMs = 0,
  isPaced = false,
} = {}): Promise<World> {
  const slow = { SLACK_MS: String(slackMs), SERVICE_MS: String(serviceMs) };
  const env = { ...slow, HOLD_MS: String(holdMs), ...(isPaced && { PACED: '1' }) };
  const child: Child = await startChild(benchProgram('world'), env);
  return {
    url: child.url,
    // as: the answers of `processes/world.ts` have this shape
    click: (request) => child.ask(request) as Promise<WorldAnswer>,
    posts: (posts) => child.ask({ posts } satisfies PostsRequest) as Promise<Posted>,
    command: (request) => child.ask(request) as Promise<number[]>,
    tell: (request) => child.ask(request) as Promise<Record<string, number>[]>,
    ask: (request) => child.ask(request) as Promise<number[]>,
    burst: (request) => child.ask(request) as Promise<number[]>,
    changeGroup: (request) => child.ask(request) as Promise<void>,
    visit: (request) => child.ask(request) as Promise<Visited[]>,
    channels: (request) => child.ask(request) as Promise<ChannelsReport>,
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}
