import type { Answer } from '../../sandbox/exchange.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { WireRequest } from '../../src/core/http/exchange.ts';
import type { Chronicle } from './chronicle.ts';
import type {
  AbsenceSeen,
  Action,
  ApprovalSeen,
  CallbackSeen,
  ClosingSeen,
  Closure,
  Command,
  Effect,
  Evidence,
  Interruption,
  Lapse,
  ListSeen,
  MembershipChange,
  MessageSeen,
  Press,
  Refusal,
  ReportSeen,
  RightsChange,
  ServiceCall,
  TakeBack,
  Told,
  Version,
} from './evidence.ts';
import { HomeTabs } from './home-tabs.ts';
import type { Operations } from './operations.ts';
import { HOOKS } from './receiver.ts';
import type { Replica } from './replica.ts';
import { DESK } from './settings.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Grows<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer Each)[] ? Each[] : T[K] };

/** An approval while it runs. */
export interface Gate
  extends Grows<
    Omit<ApprovalSeen, 'intake' | 'reasons' | 'refusals' | 'reports' | 'mayBeRefused' | 'tries'>
  > {
  readonly tries: Pick<ServiceCall, 'operation' | 'at'>[];
  readonly reports: ReportSeen[];
  readonly mayBeRefused: string[];
  readonly refusals: Refusal[];
  readonly reasons: { person: string; action: Action; text: string }[];
  /** The service's token; empty for an own gate. */
  readonly token: string;
  readonly route: string;
  /** The body sent to the intake, as JSON. */
  readonly body: string;
  /** The people who usually press: reviewers, and the requester. */
  readonly pressers: readonly string[];
  readonly intake: Mutable<ApprovalSeen['intake'][number]>[];
  /** Where its message is, once it is posted. */
  place: { channel: string; ts: string } | null;
}

/** Watches Slack and the service from outside, at the moment they do something, and collects the evidence. */
export class Observer {
  readonly gates: Gate[] = [];
  readonly presses: Press[] = [];
  readonly takeBacks: TakeBack[] = [];
  readonly reviews: TakeBack[] = [];
  readonly commands: Mutable<Command>[] = [];
  /** Receives what belongs to no approval. */
  operations: Pick<Operations, 'all' | 'served' | 'read'> | null = null;
  readonly rights: RightsChange[] = [];
  readonly memberships: MembershipChange[] = [];
  readonly absences: Mutable<AbsenceSeen>[] = [];
  readonly closings: Mutable<ClosingSeen>[] = [];
  readonly callbacks: CallbackSeen[] = [];
  readonly lapses: Lapse[] = [];
  readonly interruptions: Interruption[] = [];
  readonly closures: Closure[] = [];
  readonly unlisted: { readonly from: number; readonly to: number }[] = [];
  readonly putOff: { readonly from: number; readonly to: number }[] = [];
  readonly delays: { readonly record: string; readonly at: number }[] = [];
  readonly lists: ListSeen[] = [];
  readonly reloads: number[] = [];
  readonly homes: HomeTabs;
  readonly doubts: { readonly from: number; readonly to: number }[] = [];
  readonly hidden: { readonly group: string; readonly at: number }[] = [];
  readonly #told: Mutable<Told>[] = [];
  readonly #messages = new Map<string, Grows<MessageSeen>>();
  readonly #byToken = new Map<string, Gate>();
  readonly #byTitle = new Map<string, Gate>();
  readonly #byRecord = new Map<string, Gate>();
  readonly #byPlace = new Map<string, Gate>();
  /** Who reads what is sent to a `response_url`. */
  readonly #responseUrls = new Map<
    string,
    { person: string; channel: string; command: string; sentAt: number }
  >();
  /** The answers sent there, by who asked and when. */
  readonly #answered = new Map<string, string>();
  /** How often each press arrived, by person, approval and time. */
  readonly #deliveries = new Map<string, number>();
  /** When it arrived first. */
  readonly #arrivals = new Map<string, number>();
  /** The author of an action that can open a modal. */
  readonly #triggers = new Map<string, string>();
  /** By the id of a modal. */
  readonly #viewers = new Map<string, string>();
  /** When each person was last shown the form that asks why. */
  readonly #askedWhy = new Map<string, number>();
  readonly #sandbox: Sandbox;
  readonly #chronicle: Chronicle;
  readonly #now: () => number;
  /** Called when an approval's message is posted for the first time, or again in place of a deleted one. */
  onPosted: (gate: Gate) => void = () => {};
  /** Called when something took effect at the service. */
  onEffect: () => void = () => {};
  /** Called when a decision is sent to the service, whatever it answers. */
  onSent: (gate: Gate) => void = () => {};
  /** Called when its message says that the service has to be checked. */
  onUnsure: (gate: Gate) => void = () => {};
  /** Called when it can be decided again, after its message had said that the service has to be checked. */
  onReopened: (gate: Gate) => void = () => {};
  /** Called when its message says that it was approved. */
  onEnded: (gate: Gate) => void = () => {};
  /** Called when its message says that its approval is held. */
  onHeld: (gate: Gate, version: Version) => void = () => {};
  /** Called when its message has the service's description, which it had not. */
  onDescribed: (gate: Gate) => void = () => {};
  /** Called when its self-approval can be reviewed. */
  onReviewable: (gate: Gate) => void = () => {};
  /** Called when a press on a button of an approval's message reaches Gatepost. */
  onPressed: (gate: Gate) => void = () => {};
  /** Called when somebody reads something about an approval. */
  onTold: (gate: Gate, person: string, text: string) => void = () => {};
  /** Called when somebody reads something that is about no approval. */
  onToldElse: (person: string, text: string) => void = () => {};
  /** Called when Slack's rate limit prevents reading a group: for that long it is not read again. */
  onGroupLimited: (restMs: number) => void = () => {};

  constructor(sandbox: Sandbox, chronicle: Chronicle, now: () => number) {
    this.#sandbox = sandbox;
    this.#chronicle = chronicle;
    this.#now = now;
    this.homes = new HomeTabs(now, (record) => this.gateOf(record)?.token ?? '');
  }

  opened(gate: Gate): void {
    this.gates.push(gate);
    this.#byTitle.set(gate.title, gate);
    if (gate.token !== '') this.#byToken.set(gate.token, gate);
  }

  /** The intake's id of it. */
  recorded(gate: Gate, record: string): void {
    this.#byRecord.set(record, gate);
    this.#chronicle.alsoCalled(gate.name, record);
  }

  gateOf(record: unknown): Gate | undefined {
    return this.#byRecord.get(String(record));
  }

  /** By its token, or by where its message is. */
  gateAt(place: { readonly token: string } | Gate['place']): Gate | undefined {
    if (place === null) return undefined;
    if ('token' in place) return this.#byToken.get(place.token);
    return this.#byPlace.get(`${place.channel} ${place.ts}`);
  }

  /** A request of the bot, at the moment it begins. */
  began({ method, path }: WireRequest): void {
    const gate = this.#calledAbout(path);
    gate?.tries.push({ operation: operationOf(method), at: this.#now() });
  }

  #calledAbout(path: string): Gate | undefined {
    const token = TOKEN.exec(path)?.[1];
    return token === undefined ? undefined : this.#byToken.get(decodeURIComponent(token));
  }

  /**
   * A request of the bot, at the moment it was executed. @param done the server's answer; null: it was not executed.
   * `sent`: what was sent back.
   */
  exchanged(seen: Exchanged): void {
    const { request, done, arrived, replica } = seen;
    const [path = ''] = request.path.split('?');
    const [, , , method = ''] = path.split('/');
    if (seen.sent.status === 429) {
      const restMs = Number(seen.sent.headers?.['retry-after']) * 1_000;
      if (method === 'usergroups.users.list') this.onGroupLimited(restMs);
      if (method === 'chat.update' && restMs > MOMENT_MS) {
        this.putOff.push({ from: this.#now(), to: this.#now() + restMs });
      }
    }
    if (path.startsWith(HOOKS)) return;
    if (path.startsWith('/slack/api/')) this.#slackCalled(method, seen);
    else if (path.startsWith('/slack/response/'))
      this.#responded(path, request, done, arrived, replica);
    else this.#serviceCalled(path, seen);
  }

  /** A receiver got a callback. */
  calledBack(seen: CallbackSeen): void {
    this.callbacks.push(seen);
    const { id, type, status, by, isTaken } = seen;
    const what = `${isTaken ? 'takes' : 'refuses'} ${id}: ${type} ${status} ${by.join(', ')}`;
    this.#chronicle.note('receiver', what, seen.record);
  }

  /** A delivery by Slack: its `response_url` belongs to the person who acted. */
  delivered(body: string, replica: Replica, sentAt: number): void {
    const form = body.startsWith('{') ? null : new URLSearchParams(body);
    const text = form?.get('payload') ?? (form === null ? body : null);
    const payload = text === null ? Object.fromEntries(form ?? []) : JSON.parse(text);
    const url = payload.response_url ?? payload.response_urls?.[0]?.response_url;
    const person = payload.user?.id ?? payload.user_id ?? '';
    const channel = payload.channel?.id ?? payload.channel_id ?? '';
    if (typeof payload.trigger_id === 'string') this.#triggers.set(payload.trigger_id, person);
    if (typeof url === 'string') {
      const command = String(payload.text ?? '');
      this.#responseUrls.set(new URL(url).pathname, { person, channel, command, sentAt });
    }
    const action = payload.actions?.[0];
    const pressed = this.#byRecord.get(action?.value);
    if (pressed !== undefined) this.onPressed(pressed);
    // On the Home tab the value names more than the record, and a form has it in its metadata.
    const [record = ''] = RECORD.exec(action?.value ?? payload.view?.private_metadata ?? '') ?? [];
    const press = `${person} ${this.#byRecord.get(record)?.name} ${sentAt}`;
    this.#deliveries.set(press, (this.#deliveries.get(press) ?? 0) + 1);
    if (!this.#arrivals.has(press)) this.#arrivals.set(press, this.#now());
    const what = action?.action_id ?? payload.command ?? payload.event?.type ?? payload.type;
    this.#chronicle.note(
      'Slack',
      `delivers ${what} of ${person} to ${replica.name}`,
      String(action?.value ?? ''),
    );
  }

  /** The service did something by itself, or was asked to: records what took effect. */
  looked(gate: Gate, how: Effect['how']): void {
    if (gate.token === '') return;
    const { status, effects, resolvedAt } = this.#sandbox.service.approval(gate.token);
    if (status === 'PENDING' || gate.effects.length > Math.max(0, effects.length - 1)) return;
    if (resolvedAt === null) return;
    const serviceUser = effects.at(-1)?.userId ?? null;
    gate.effects.push({ at: this.#now(), status, how, serviceUser });
    this.#chronicle.note('service', `${gate.name} is ${status} (${how})`, gate.name);
    this.onEffect();
  }

  evidence(audit: Evidence['audit'], limits: Evidence['limits']): Evidence {
    return {
      approvals: this.gates,
      messages: [...this.#messages.values()],
      told: this.#told,
      presses: this.presses.map((press) => {
        const { person, approval, at } = press;
        const key = `${person} ${approval} ${at}`;
        const arrivedAt = this.#arrivals.get(key);
        const own = this.presses.filter(
          (each) => each.person === person && each.approval === approval && each.at === at,
        );
        const doubled = (this.#deliveries.get(key) ?? 0) > own.length;
        return { ...press, doubled, ...(arrivedAt !== undefined && { arrivedAt }) };
      }),
      takeBacks: this.takeBacks,
      reviews: this.reviews,
      commands: this.commands,
      operations: (this.operations?.all ?? []).map((asked, _, all) => {
        const { person, at } = asked;
        const count = this.#deliveries.get(`${person} ${undefined} ${at}`) ?? 0;
        const own = all.filter((each) => each.person === person && each.at === at);
        return { ...asked, doubled: count > own.length };
      }),
      callbacks: this.callbacks,
      rights: this.rights,
      memberships: this.memberships,
      absences: this.absences,
      closings: this.closings,
      audit,
      lapses: this.lapses,
      interruptions: this.interruptions,
      closures: this.closures,
      unlisted: this.unlisted,
      putOff: this.putOff,
      delays: this.delays,
      doubts: this.doubts,
      hidden: this.hidden,
      lists: this.lists,
      reloads: this.reloads,
      homes: this.homes.all,
      limits,
    };
  }

  #serviceCalled(
    path: string,
    { request: { method, body }, sentAt, done, sent, arrived, replica }: Exchanged,
  ): void {
    const gate = this.#calledAbout(path);
    if (gate === undefined) {
      this.operations?.served(path, body, done);
      const shown = TOKEN.test(path) ? 'an unknown approval' : path.replace('/service', '');
      this.#chronicle.note(
        'service',
        `answers ${sent.status} to ${method} ${shown} of ${replica.name}`,
      );
      return;
    }
    const given: unknown = body === null ? null : JSON.parse(body);
    const call: ServiceCall = {
      operation: operationOf(method),
      at: this.#now(),
      sentAt,
      status: sent.status === 0 ? null : sent.status,
      readable: typeof sent.body !== 'string',
      get heard() {
        return arrived.isHeard;
      },
      get heardAt() {
        return arrived.at;
      },
      // as: what the sandbox accepts, or null
      action: memberOf(given, 'action') as Action | null,
      serviceUser: memberOf(given, 'userId'),
    };
    gate.calls.push(call);
    const asked = call.action === null ? 'read' : `${call.action} by ${call.serviceUser}`;
    const how = done === null ? ', not carried out' : '';
    this.#chronicle.note(
      'service',
      `answers ${sent.status} to ${replica.name}: ${asked}${how}`,
      gate.name,
    );
    this.looked(gate, 'interface');
    if (call.operation === 'respond') this.onSent(gate);
  }

  #slackCalled(method: string, { request, sentAt, done, arrived, replica }: Exchanged): void {
    const given = isObject(done?.body) ? done.body : {};
    const word = done === null ? 'not carried out' : given.ok === true ? 'ok' : String(given.error);
    const arg = (name: string) => argIn(request.body ?? '', name);
    const message = given.ok === true && isObject(given.message) ? given.message : null;
    const metadata = message === null ? metadataIn(arg('metadata')) : payloadOf(message);
    const gate = this.#ownerOf(metadata, String(arg('text')));
    const post = metadata === null ? '' : ` ${metadata.post}`;
    this.#chronicle.note('Slack', `${method}${post} of ${replica.name}: ${word}`, ...nameOf(gate));
    if (method === 'chat.postMessage' && isClosed(given.error)) {
      const at = this.#now();
      gate?.refusals.push({
        at,
        post: String(metadata?.post),
        get isHeard() {
          return arrived.isHeard;
        },
      });
    }
    if (method === 'chat.update' && given.error === 'message_not_found') {
      const seen = this.#messages.get(`${arg('channel')} ${arg('ts')}`);
      if (seen !== undefined && (seen.missed?.at ?? null) === null) seen.missed = arrived;
    }
    if (given.ok !== true) return;
    if (method === 'chat.postMessage' || method === 'chat.update') {
      const [channel, ts] = [String(given.channel), String(given.ts)];
      this.#sawMessage(channel, ts, metadata, sentAt);
      if (channel.startsWith('D')) {
        const shown = this.#sandbox.workspace.message(channel, ts);
        this.operations?.read(JSON.stringify(shown?.blocks ?? shown?.text), '', arrived);
      }
      if (method === 'chat.update') return;
      // Direct messages are sent to a person, or to their conversation.
      const person = (arg('channel') ?? '').replace(/^D/, 'U');
      if (channel.startsWith('D')) this.#tell(person, channel, arg('text') ?? '', arrived);
      const isMessage = String(metadata?.post).startsWith('message');
      if (gate === undefined || gate.place !== null || !isMessage) return;
      gate.place = { channel, ts };
      this.#byPlace.set(`${channel} ${ts}`, gate);
      this.onPosted(gate);
    }
    if (method === 'views.publish') {
      const person = arg('user_id') ?? '';
      const { blocks = [] } = this.#sandbox.workspace.home(person) ?? {};
      this.homes.published(replica.name, person, sentAt, blocks);
    }
    // A Home tab does not answer a command.
    const isModal = method.startsWith('views.') && method !== 'views.publish';
    if (isModal) this.#sawView(given.view, arg('trigger_id'), arrived);
    if (method === 'chat.postEphemeral') {
      const [person, channel, text] = ['user', 'channel', 'text'].map((name) => arg(name) ?? '');
      this.#tell(person ?? '', channel ?? '', text ?? '', arrived);
      this.operations?.read(text ?? '', '', arrived);
    }
  }

  /** A modal is open: the person who opened it also sees its updates. */
  #sawView(view: unknown, trigger: string | null, arrived: { isHeard: boolean }): void {
    const text = JSON.stringify(view);
    const id = isObject(view) ? String(view.id) : '';
    const person = this.#triggers.get(trigger ?? '') ?? this.#viewers.get(id) ?? DESK;
    this.#viewers.set(id, person);
    if (text.includes(REASON_FORM)) this.#askedWhy.set(person, this.#now());
    this.#answers(person, text);
    this.operations?.read(text, '', arrived);
  }

  /** Whether the person was shown the form that asks why since then; they may have closed it with another one. */
  wasAskedWhy(person: string, since: number): boolean {
    return (this.#askedWhy.get(person) ?? -1) >= since;
  }

  /** Somebody deleted its message. */
  deleted(gate: Gate): void {
    const { place } = gate;
    const seen = this.#messages.get(`${place?.channel} ${place?.ts}`);
    if (seen !== undefined) seen.deletedAt = this.#now();
    gate.place = null;
  }

  /** The response to a form, which replaces it. */
  showed(person: string, channel: string, text: string): void {
    this.#tell(person, channel, text, { isHeard: true });
  }

  /** Answers the person's commands that have no answer yet. */
  #answers(person: string, text: string): void {
    for (const typed of this.commands) {
      if (typed.person === person) typed.answer ??= text;
    }
  }

  /** The answer to exactly what a person did at this moment; undefined: none yet. */
  answerTo(person: string, at: number): string | undefined {
    return this.#answered.get(`${person} ${at}`);
  }

  /** Somebody's last decision there. */
  lastPressOn({ name }: Gate): Press | undefined {
    return this.presses.findLast(({ approval, action }) => approval === name && action !== 'check');
  }

  /** A person types a command: what they see next answers it. */
  typed(command: Mutable<Command>): void {
    this.commands.push(command);
  }

  #responded(
    path: string,
    request: WireRequest,
    done: Answer | null,
    arrived: { isHeard: boolean },
    replica: Replica,
  ): void {
    const target = this.#responseUrls.get(path);
    const given: unknown = JSON.parse(request.body ?? '{}');
    const isDone = done?.status === 200;
    this.#chronicle.note(
      'Slack',
      `response_url of ${replica.name}: ${isDone ? 'ok' : done?.status}`,
    );
    if (!isDone || target === undefined) return;
    const text = memberOf(given, 'text') ?? '';
    this.#answered.set(`${target.person} ${target.sentAt}`, text);
    this.#tell(target.person, target.channel, text, arrived);
    this.operations?.read(text, target.command, arrived);
  }

  #tell(person: string, channel: string, text: string, arrived: { isHeard: boolean }): void {
    const told: Told = {
      at: this.#now(),
      person,
      channel,
      text,
      get answered() {
        return arrived.isHeard;
      },
    };
    this.#told.push(told);
    this.#answers(person, text);
    const gate = this.#ownerOf(null, text);
    this.#chronicle.note(person, `reads "${text.replaceAll('\n', ' ')}"`, ...nameOf(gate));
    if (gate === undefined) this.onToldElse(person, text);
    else this.onTold(gate, person, text);
  }

  #sawMessage(channel: string, ts: string, metadata: Version['metadata'], sentAt: number): void {
    const shown = this.#sandbox.workspace.message(channel, ts);
    if (shown === undefined) return;
    const key = `${channel} ${ts}`;
    const seen = this.#messages.get(key) ?? { channel, ts, versions: [], deletedAt: null };
    const { text, blocks = [] } = shown;
    const before = JSON.stringify(seen.versions.at(-1)?.blocks ?? []);
    const version = { at: this.#now(), sentAt, text, blocks, metadata };
    seen.versions.push(version);
    this.#messages.set(key, seen);
    const gate = this.#ownerOf(metadata, text);
    this.#chronicle.note(channel, `${ts} reads "${text.replaceAll('\n', ' ')}"`, ...nameOf(gate));
    if (gate === undefined) return;
    const after = JSON.stringify(blocks);
    if (after.includes('Check now')) this.onUnsure(gate);
    const wasClosed = before.includes('Check now') && !before.includes(BUTTONS);
    if (wasClosed && after.includes(BUTTONS)) this.onReopened(gate);
    const isNew = (word: string) => after.includes(word) && !before.includes(word);
    if (isNew(APPROVED)) this.onEnded(gate);
    if (isNew(HELD)) this.onHeld(gate, version);
    if (isNew(REVIEW)) this.onReviewable(gate);
    if (gate.prompt !== undefined && isNew(gate.prompt)) this.onDescribed(gate);
  }

  /** By the record, or the first time by the title in its text. */
  #ownerOf(metadata: Version['metadata'], text: string): Gate | undefined {
    const known = this.#byRecord.get(String(metadata?.record));
    if (known !== undefined) return known;
    for (const word of text.split(/[^\w-]/)) {
      const gate = this.#byTitle.get(`Gate ${word}`);
      if (gate === undefined) continue;
      if (metadata !== null) this.recorded(gate, String(metadata.record));
      return gate;
    }
    return undefined;
  }
}

export interface Exchanged {
  readonly request: WireRequest;
  readonly sentAt: number;
  readonly done: Answer | null;
  readonly sent: Answer;
  readonly arrived: Readonly<Arrived>;
  readonly replica: Replica;
}

/** Set once the sender has an answer. */
export interface Arrived {
  /** It is complete. */
  isHeard: boolean;
  at: number | null;
}

/** A rate limit that ends sooner is no reason for anything late. */
const MOMENT_MS = 5_000;

/** The block with the decision buttons. */
const REASON_FORM = '"approvals.reason"';
/** The id of a record. */
const RECORD = /\b\d{1,2}-[\w-]{16}/;
const BUTTONS = '"approvals.decide"';
const APPROVED = ':white_check_mark: *Approved';
const HELD = ' approved* · ';
const REVIEW = '"approvals.reviewed"';

/** At the end of the path of a call about an approval. */
const TOKEN = /\/approvals\/([^/?]+)$/;

function operationOf(method: string): ServiceCall['operation'] {
  return method === 'POST' ? 'respond' : 'read';
}

/** Slack accepts no message there until somebody opens the channel again. */
function isClosed(error: unknown): boolean {
  return error === 'is_archived';
}

function nameOf(gate: Gate | undefined): string[] {
  return gate === undefined ? [] : [gate.name];
}

/** One argument of a form; the others, including blocks, are not decoded. */
function argIn(form: string, name: string): string | null {
  const start = form.startsWith(`${name}=`) ? 0 : form.indexOf(`&${name}=`) + 1;
  if (start === 0 && !form.startsWith(`${name}=`)) return null;
  const end = form.indexOf('&', start);
  const one = form.slice(start, end === -1 ? undefined : end);
  return new URLSearchParams(one).get(name);
}

function metadataIn(text: string | null): Version['metadata'] {
  if (text === null) return null;
  const { event_payload: payload } = JSON.parse(text);
  return isObject(payload) ? payload : null;
}

function payloadOf({ metadata }: Readonly<Record<string, unknown>>): Version['metadata'] {
  if (!isObject(metadata)) return null;
  return isObject(metadata.event_payload) ? metadata.event_payload : null;
}

function memberOf(value: unknown, name: string): string | null {
  const member = isObject(value) ? value[name] : null;
  return typeof member === 'string' ? member : null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
