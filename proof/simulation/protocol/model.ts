/**
 * A model of the protocol, small enough to try every order of events: one record with an inbox, two workers that lease
 * it in turn, an attempt that is saved before its call, a service that accepts one decision. It shares no code with the
 * product; `README.md` maps each rule to its function there, and lists the assumptions. A state is plain data.
 * `movesOf` returns everything that can happen next; a state's `fault` is what must never happen; `unsettled` returns
 * what must not remain when nothing more happens.
 */

import {
  applyRead,
  type Data,
  type Decision,
  EMPTY,
  endShowing,
  learn,
  noteShowing,
  type Outcome,
  type Person,
  type PressNumber,
  type ProtocolPlant,
  pressOf,
  recall,
  receive,
  type Signal,
  type Status,
  settle,
} from './record.ts';

/** How often each fault may happen, and which rule is left out. */
export interface Bounds {
  readonly presses: 1 | 2 | 3;
  readonly crashes: number;
  /** Answers of the service that never arrive: the call itself may still arrive, late. */
  readonly lostAnswers: number;
  /** A worker is stopped for longer than its lease. */
  readonly pauses: number;
  /** The store goes back to an earlier moment. */
  readonly rewinds: 0 | 1;
  readonly plant?: ProtocolPlant;
}

type Fault = 'crashes' | 'lostAnswers' | 'pauses' | 'rewinds';

interface StoredRecord {
  readonly data: Data;
  readonly inbox: readonly Signal[];
  readonly lease: number | null;
  /** Nobody else gets the record until it has ended. */
  readonly isLeaseLive: boolean;
  readonly isDue: boolean;
}

/** A worker's lease session. */
interface Session {
  readonly lease: number;
  readonly data: Data;
  readonly inbox: readonly Signal[];
  readonly handled: readonly Signal[];
  /** An answer of the service that is not saved yet. */
  readonly unsaved: Signal | null;
  readonly at: 'planning' | 'noted' | 'calling' | 'showing';
  readonly isBeforeRewind: boolean;
}

interface Call {
  readonly kind: 'read' | 'respond';
  readonly press: PressNumber;
  /** null: nobody waits for its answer any more. */
  readonly worker: number | null;
  /** null: not yet at the service. */
  readonly answer: Status | 'refused' | null;
  /** When it was sent, no decision could still arrive. */
  readonly isQuiet: boolean;
  readonly isBeforeRewind: boolean;
}

export interface State {
  readonly service: { readonly status: Status; readonly by: Person | null };
  /** What people see. */
  readonly message: Outcome | null;
  /** The person whom it named as the one who decided, at any time. */
  readonly named: Person | null;
  readonly record: StoredRecord;
  /** The moment to which the store may go back. */
  readonly earlier: StoredRecord | null;
  readonly hasRewound: boolean;
  /** After that a worker showed what it had saved before: no record knows of it. */
  readonly isShownLate: boolean;
  readonly workers: readonly (Session | null)[];
  readonly calls: readonly Call[];
  readonly pressed: readonly boolean[];
  readonly told: readonly boolean[];
  /** The store lost it by going back, so that nobody can answer it. */
  readonly forgotten: readonly boolean[];
  /** Whose decision the service accepted, as received by a worker that has not died since. */
  readonly heard: Person | null;
  readonly left: Readonly<Record<Fault, number>>;
  /** A violation, once it has happened. */
  readonly fault: string | null;
}

export interface Move {
  readonly name: string;
  /** It need not happen: a press, a fault. */
  readonly isOptional: boolean;
  readonly to: State;
}

export function firstState({ presses, crashes, lostAnswers, pauses, rewinds }: Bounds): State {
  const none = Array.from({ length: presses }, () => false);
  return {
    service: { status: 'pending', by: null },
    message: null,
    named: null,
    record: { data: EMPTY, inbox: [], lease: null, isLeaseLive: false, isDue: false },
    earlier: null,
    hasRewound: false,
    isShownLate: false,
    workers: [null, null],
    calls: [],
    pressed: none,
    told: none,
    forgotten: none,
    heard: null,
    left: { crashes, lostAnswers, pauses, rewinds },
    fault: null,
  };
}

/** Everything that can happen next. */
export function movesOf(state: State, { plant }: Bounds): readonly Move[] {
  const presses: Named[] = [];
  for (const press of pressesOf(state)) {
    // Ana's two presses are equivalent: the first one comes first.
    if (!state.pressed[press] && (press !== 2 || state.pressed[0])) {
      presses.push([`press ${press} is stored and acknowledged`, pressed(state, press, plant)]);
    }
  }
  const certain = certainMoves(state, plant);
  const optional = [...presses, ...faultsOf(state)];
  return [
    ...certain.map(([name, to]) => ({ name, isOptional: false, to })),
    ...[...optional, ...leftBehind(state, [...certain, ...presses])].map(([name, to]) => {
      return { name, isOptional: true, to };
    }),
  ];
}

/** The same writes, not received by a replica of the store: the store may go back to its state. */
function leftBehind(state: State, moves: readonly Named[]): Named[] {
  const { record, earlier, left } = state;
  if (left.rewinds === 0 || earlier !== null) return [];
  return moves
    .filter(([, to]) => to.record !== record)
    .map(([name, to]) => [`${name}, which a replica does not get`, { ...to, earlier: record }]);
}

type Named = readonly [name: string, to: State];

function certainMoves(state: State, plant: ProtocolPlant | undefined): Named[] {
  const { record, workers, calls } = state;
  const moves: Named[] = [];
  workers.forEach((session, worker) => {
    const next = session === null ? claimed(state, worker, plant) : worked(state, worker, plant);
    if (next !== null) moves.push([`worker ${worker} ${next[0]}`, next[1]]);
  });
  calls.forEach((call, place) => {
    const name = `${call.kind} for press ${call.press}`;
    if (call.answer === null) moves.push([`${name} arrives`, arrived(state, place, call)]);
    // Nobody waits for it: it may equally have been lost in transit.
    if (call.worker === null) moves.push([`${name} is lost`, withoutCall(state, place)]);
    else if (call.answer !== null) {
      moves.push([`${name} is answered`, answered(state, place, call, call.worker, plant)]);
    }
  });
  if (isLeaseOrphaned(state)) {
    const free = { ...record, isLeaseLive: false, isDue: true };
    moves.push(['the lease of a dead worker ends', { ...state, record: free }]);
  }
  return moves;
}

function faultsOf(state: State): Named[] {
  const { record, left, earlier, workers, calls } = state;
  const moves: Named[] = [];
  workers.forEach((session, worker) => {
    if (session !== null && left.crashes > 0) {
      moves.push([`worker ${worker} dies`, crashed(state, worker, session)]);
    }
  });
  calls.forEach((call) => {
    if (call.worker !== null && left.lostAnswers > 0) {
      const to = timedOut(state, call, call.worker);
      moves.push([`${call.kind} for press ${call.press} times out`, to]);
    }
  });
  if (record.isLeaseLive && left.pauses > 0 && !isLeaseOrphaned(state)) {
    const free = { ...record, isLeaseLive: false, isDue: true };
    const to = { ...state, record: free, left: without(left, 'pauses') };
    moves.push(['the lease ends under its holder', to]);
  }
  if (left.rewinds > 0 && earlier !== null) {
    moves.push(['the store goes back to it', rewound(state, earlier)]);
  }
  return moves;
}

/** What is wrong if nothing more happens except further presses and faults; null: nothing. */
export function unsettled(state: State): string | null {
  const { service, message, record, hasRewound, heard } = state;
  for (const press of pressesOf(state)) {
    const isOpen = state.pressed[press] && !state.told[press] && !state.forgotten[press];
    if (isOpen) return `press ${press} was acknowledged and never answered`;
  }
  if (record.data.decision !== null) return 'a decision is left under way';
  const isKnown = record.data.outcome !== null || message !== null;
  if (isKnown && message?.status !== service.status) {
    return `the service says ${service.status}, the message ${message?.status ?? 'nothing'}`;
  }
  const isNamed = state.named !== null && !state.isShownLate;
  if (isNamed && message?.by !== state.named) return 'the message lost the name of who decided';
  if (hasRewound) return null;
  if (heard !== null && message?.by !== heard) return `nobody reads that it was ${heard}`;
  const isElsewhere = message !== null && message.by === null && message.sent === null;
  return isElsewhere ? `${service.by} decided here, the message says elsewhere` : null;
}

function pressesOf({ pressed }: State): PressNumber[] {
  // as: there are that many presses
  return [...pressed.keys()] as PressNumber[];
}

// The store: each call is one step, as a script or a transaction is.

function pressed(state: State, press: PressNumber, plant: ProtocolPlant | undefined): State {
  const { record, left } = state;
  const after = { ...state, pressed: state.pressed.with(press, true) };
  // Stored afterwards, by a process that is gone by then.
  if (plant === 'acknowledge-before-storing' && left.crashes > 0) {
    return { ...after, left: without(left, 'crashes') };
  }
  const inbox = [...record.inbox, { kind: 'press', press } as const];
  return { ...after, record: { ...record, inbox, isDue: true } };
}

function claimed(state: State, worker: number, plant: ProtocolPlant | undefined): Named | null {
  const { record, earlier, workers } = state;
  if (!record.isDue || record.isLeaseLive) return null;
  const taken = [record.lease, earlier?.lease, ...workers.map((session) => session?.lease)];
  const lease = [0, 1, 2, 3].find((number) => !taken.includes(number)) ?? 4;
  const { data, inbox } = record;
  const begun = { handled: [], unsaved: null, at: 'planning', isBeforeRewind: false } as const;
  const left = plant === 'signals-gone-when-read' ? [] : inbox;
  const held = { ...record, inbox: left, lease, isLeaseLive: true, isDue: false };
  return [
    'takes the lease',
    withSession({ ...state, record: held }, worker, { lease, data, inbox, ...begun }),
  ];
}

/** undefined: the lease is lost. */
function saved(
  { record }: State,
  { lease, data, handled }: Session,
  plant: ProtocolPlant | undefined,
): StoredRecord | undefined {
  if (record.lease !== lease && plant !== 'no-fence') return undefined;
  const names = new Set(handled.map(nameOf));
  const inbox = record.inbox.filter((signal) => !names.has(nameOf(signal)));
  return { ...record, lease, data, inbox, isLeaseLive: true };
}

function nameOf({ kind, press }: Signal): string {
  return `${kind} ${press}`;
}

function isLeaseOrphaned({ record, workers }: State): boolean {
  return record.isLeaseLive && !workers.some((session) => session?.lease === record.lease);
}

/** Back to an earlier moment, while people, the service and the message stay as they are. */
function rewound(state: State, { data, inbox, lease }: StoredRecord): State {
  const { decision, waiting, owed } = data;
  const own = decision === null ? [] : [decision.press];
  const known = new Set([...inbox.map(({ press }) => press), ...waiting, ...owed, ...own]);
  return {
    ...state,
    record: {
      data: { ...data, isRecalled: false },
      inbox,
      lease,
      isLeaseLive: false,
      isDue: true,
    },
    earlier: null,
    hasRewound: true,
    calls: state.calls.map((call) => ({ ...call, isBeforeRewind: true })),
    // Every worker notices that it talks to another server.
    workers: state.workers.map((session) => session && overtaken(session)),
    forgotten: pressesOf(state).map((press) => !known.has(press) && state.pressed[press] === true),
    left: without(state.left, 'rewinds'),
  };
}

function overtaken(session: Session): Session {
  return { ...session, data: { ...session.data, isRecalled: false }, isBeforeRewind: true };
}

// A worker: receive, plan, mark the attempt, call, apply, save.

/** null: it waits. */
function worked(state: State, worker: number, plant: ProtocolPlant | undefined): Named | null {
  const session = state.workers[worker];
  if (!session || session.at === 'calling') return null;
  if (session.at === 'noted') return sent(state, worker, session);
  if (session.at === 'showing') return shown(state, worker, session);
  const data = session.inbox.reduce(receive, session.data);
  const handled = [...session.handled, ...session.inbox];
  const view: Session = { ...session, data, inbox: [], handled };
  const { decision, outcome, owed } = data;

  if (!data.isRecalled) {
    // Without a read, the record's state is shown as if for the first time.
    const blind = { ...data, isRecalled: true, isShown: data.outcome === null };
    const next = plant === 'names-not-recalled' ? blind : recall(data, state.message);
    return ['reads the message', withSession(state, worker, { ...view, data: next })];
  }
  if (outcome !== null && !data.isShown) return showing(state, worker, view, plant);
  const [press, ...rest] = owed;
  if (press !== undefined) {
    const next = withSession(state, worker, { ...view, data: { ...data, owed: rest } });
    return [`answers press ${press}`, { ...next, told: state.told.with(press, true) }];
  }
  if (decision === null) {
    if (!data.isShownAgain) return released(state, worker, view, plant);
    const others = state.workers.filter((_, other) => other !== worker);
    const mayComeLate = others.some((session) => session?.at === 'showing');
    return mayComeLate ? null : showing(state, worker, view, plant);
  }
  if (decision.phase === 'send') return noted(state, worker, view, decision, plant);
  return asked(state, worker, view, decision);
}

/** The status is read at once, and again when the attempt must have ended. */
function asked(state: State, worker: number, view: Session, decision: Decision): Named | null {
  const isQuiet = !mayArrive(state);
  if (decision.isAwaited && !isQuiet) return null;
  const call = callOf('read', decision.press, worker, view, isQuiet);
  const next = withSession(state, worker, { ...view, at: 'calling' });
  return ['reads the status', { ...next, calls: [...state.calls, call] }];
}

function noted(
  state: State,
  worker: number,
  view: Session,
  decision: Decision,
  plant: ProtocolPlant | undefined,
): Named {
  const data: Data = { ...view.data, decision: { ...decision, phase: 'sending' } };
  const session: Session = { ...view, data, at: 'noted' };
  if (plant === 'no-attempt-note') return ['notes nothing', withSession(state, worker, session)];
  const name = `notes that press ${decision.press} is about to be sent`;
  return kept(state, worker, session, view, plant, name);
}

function showing(
  state: State,
  worker: number,
  view: Session,
  plant: ProtocolPlant | undefined,
): Named {
  const session: Session = { ...view, data: noteShowing(view.data), at: 'showing' };
  return kept(state, worker, session, view, plant, 'notes that the outcome is about to be shown');
}

/** Saves and continues. `view`: what is handed over if the lease is lost. */
function kept(
  state: State,
  worker: number,
  session: Session,
  view: Session,
  plant: ProtocolPlant | undefined,
  name: string,
): Named {
  const record = saved(state, session, plant);
  if (record === undefined) return handedOver(state, worker, view, plant);
  const next = { ...session, handled: [], unsaved: null, inbox: record.inbox };
  return [name, withSession({ ...state, record }, worker, next)];
}

/** The mark is fresh: nobody repeats the call within the time that it states. */
function sent(state: State, worker: number, session: Session): Named {
  const { decision } = session.data;
  if (decision === null) throw new Error('a note is of a decision');
  const others = { ...state, workers: state.workers.with(worker, null) };
  const isOverlapping = !session.isBeforeRewind && mayArrive(others);
  const call = callOf('respond', decision.press, worker, session, true);
  const next = withSession(state, worker, { ...session, at: 'calling' });
  const fault = isOverlapping ? 'a decision was sent while another may still arrive' : null;
  return [`sends press ${decision.press}`, { ...next, calls: [...state.calls, call], fault }];
}

function released(
  state: State,
  worker: number,
  view: Session,
  plant: ProtocolPlant | undefined,
): Named {
  const record = saved(state, view, plant);
  if (record === undefined) return handedOver(state, worker, view, plant);
  const { inbox } = record;
  if (inbox.length > 0) {
    const next = { ...view, handled: [], unsaved: null, inbox };
    return ['saves, and finds news', withSession({ ...state, record }, worker, next)];
  }
  const free = { ...record, lease: null, isLeaseLive: false, isDue: false };
  return ['gives the record back', withSession({ ...state, record: free }, worker, null)];
}

/** Another worker holds the record: the result goes into its inbox. */
function handedOver(
  state: State,
  worker: number,
  { unsaved }: Session,
  plant: ProtocolPlant | undefined,
): Named {
  const next = withSession(state, worker, null);
  if (unsaved === null || plant === 'result-lost-on-hand-over') return ['lost its lease', next];
  const { record } = state;
  const inbox = [...record.inbox, unsaved];
  const told = { ...next, record: { ...record, inbox, isDue: true } };
  return ['lost its lease, and hands over what it learned', told];
}

/** From now on people read it. */
function shown(state: State, worker: number, session: Session): Named {
  const { service } = state;
  const { outcome } = session.data;
  if (outcome === null) throw new Error('there is no outcome to show');
  const isSaid = outcome.status === service.status;
  const isTheirs = outcome.by === null || outcome.by === service.by;
  const isShownLate = state.isShownLate || session.isBeforeRewind;
  const fault =
    (isSaid ? null : 'the message says what the service did not') ??
    (isTheirs ? null : 'the message names somebody who did not decide');
  const data = endShowing(session.data);
  const next = withSession(state, worker, { ...session, data, at: 'planning' });
  const named = outcome.by ?? state.named;
  return ['shows the outcome', { ...next, message: outcome, named, isShownLate, fault }];
}

// Calls: in flight, at the service, on their way back.

function callOf(
  kind: Call['kind'],
  press: PressNumber,
  worker: number,
  { isBeforeRewind }: Session,
  isQuiet: boolean,
): Call {
  return { kind, press, worker, answer: null, isQuiet, isBeforeRewind };
}

/**
 * The record knows of a decision in flight, or about to be sent: until it must have ended, according to its mark. The
 * model does not include a worker that is stopped for longer exactly between its mark and its call.
 */
function mayArrive({ calls, workers }: State): boolean {
  return (
    workers.some((session) => session?.at === 'noted' && !session.isBeforeRewind) ||
    calls.some(({ kind, answer, isBeforeRewind }) => {
      return kind === 'respond' && answer === null && !isBeforeRewind;
    })
  );
}

function arrived(state: State, place: number, call: Call): State {
  const { status } = state.service;
  if (call.worker === null) return decided(withoutCall(state, place), call.press);
  const answer = (given: Call['answer']) => withCall(state, place, { ...call, answer: given });
  if (call.kind === 'read') return answer(status);
  if (status !== 'pending') return answer('refused');
  return decided(answer(pressOf(call.press).wants), call.press);
}

/** The service accepts one decision. */
function decided(state: State, press: PressNumber): State {
  if (state.service.status !== 'pending') return state;
  const { by, wants } = pressOf(press);
  return { ...state, service: { status: wants, by } };
}

function answered(
  state: State,
  place: number,
  { kind, answer, press, isQuiet }: Call,
  worker: number,
  plant: ProtocolPlant | undefined,
): State {
  const session = state.workers[worker];
  if (!session || answer === null) throw new Error('an answer is for whoever waits for it');
  const { data } = session;
  const back = (change: Partial<Session>) =>
    withSession(withoutCall(state, place), worker, { ...session, ...change, at: 'planning' });
  if (kind === 'read' && answer !== 'refused') {
    return back({ data: applyRead(data, answer, isQuiet, plant) });
  }
  if (answer === 'refused' || answer === 'pending') return back({ data: settle(data) });
  const { by } = pressOf(press);
  const unsaved = { kind: 'answered', press, status: answer } as const;
  return { ...back({ data: learn(data, answer, { by }), unsaved }), heard: by };
}

/** The worker stops waiting; the call continues. */
function timedOut(state: State, call: Call, worker: number): State {
  const session = state.workers[worker];
  if (!session) throw new Error('only a worker waits');
  const given = { ...state, calls: deserted(state.calls, worker) };
  const data = call.kind === 'read' ? session.data : settle(session.data);
  const next = withSession(given, worker, { ...session, data, at: 'planning' });
  return { ...next, left: without(state.left, 'lostAnswers') };
}

function crashed(state: State, worker: number, { unsaved }: Session): State {
  return {
    ...withSession(state, worker, null),
    calls: deserted(state.calls, worker),
    heard: unsaved === null ? state.heard : null,
    left: without(state.left, 'crashes'),
  };
}

/** The answers that a worker waited for do not matter any more, but a decision may still arrive. */
function deserted(calls: readonly Call[], worker: number): Call[] {
  return calls
    .filter((call) => call.worker !== worker || (call.kind === 'respond' && call.answer === null))
    .map((call) => (call.worker === worker ? { ...call, worker: null } : call));
}

function withSession(state: State, worker: number, session: Session | null): State {
  return { ...state, workers: state.workers.with(worker, session) };
}

function withCall(state: State, place: number, call: Call): State {
  return { ...state, calls: state.calls.with(place, call) };
}

function withoutCall(state: State, place: number): State {
  return { ...state, calls: state.calls.toSpliced(place, 1) };
}

function without(left: State['left'], fault: Fault): State['left'] {
  return { ...left, [fault]: left[fault] - 1 };
}
