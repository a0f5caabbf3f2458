/** The data of the model's record, and how it changes. Pure, and only plain data. */

export type Person = 'ana' | 'ben';
export type Status = 'pending' | 'approved' | 'rejected';
export type Final = Exclude<Status, 'pending'>;

/** Rules that can be left out, to check that the exploration notices. */
export const PROTOCOL_PLANTS = [
  'acknowledge-before-storing',
  'signals-gone-when-read',
  'no-attempt-note',
  'no-fence',
  'repeat-without-waiting',
  'opposite-without-waiting',
  'result-lost-on-hand-over',
  'names-not-recalled',
] as const;
export type ProtocolPlant = (typeof PROTOCOL_PLANTS)[number];

interface Press {
  readonly by: Person;
  readonly wants: Final;
}

/** Ana approves, Ben rejects, and Ana presses again. */
const PRESSES: readonly [Press, Press, Press] = [
  { by: 'ana', wants: 'approved' },
  { by: 'ben', wants: 'rejected' },
  { by: 'ana', wants: 'approved' },
];

export type PressNumber = 0 | 1 | 2;
export const pressOf = (press: PressNumber): Press => PRESSES[press];

export interface Decision {
  readonly press: PressNumber;
  /** `sending` marks the attempt; `settle`: its answer was lost. */
  readonly phase: 'check' | 'send' | 'sending' | 'settle';
  /** How many attempts had no answer. */
  readonly lost: number;
  /** It was read while it could still arrive, and was not there. */
  readonly isAwaited: boolean;
}

export interface Outcome {
  readonly status: Final;
  /** Whose decision the service said it accepted. */
  readonly by: Person | null;
  /** Whose decision was sent, if the service did not say. */
  readonly sent: Person | null;
}

export interface Data {
  readonly decision: Decision | null;
  /** Presses that wait behind the decision. */
  readonly waiting: readonly PressNumber[];
  readonly outcome: Outcome | null;
  /** Presses whose reply is not delivered yet. */
  readonly owed: readonly PressNumber[];
  /** The message shows the outcome. */
  readonly isShown: boolean;
  /** An update of the message is marked whose end is not known. */
  readonly isShowing: boolean;
  /** Such an update belonged to another worker and may come late: the message is updated again after it. */
  readonly isShownAgain: boolean;
  /** The message was read since the store went back. */
  readonly isRecalled: boolean;
}

export const EMPTY: Data = {
  decision: null,
  waiting: [],
  outcome: null,
  owed: [],
  isShown: true,
  isShowing: false,
  isShownAgain: false,
  isRecalled: true,
};

export type Signal =
  | { readonly kind: 'press'; readonly press: PressNumber }
  /** The result of a worker that no longer held the record. */
  | { readonly kind: 'answered'; readonly press: PressNumber; readonly status: Final };

export function receive(data: Data, signal: Signal): Data {
  if (signal.kind === 'answered')
    return learn(data, signal.status, { by: pressOf(signal.press).by });
  const { press } = signal;
  if (data.outcome !== null) return { ...data, owed: [...data.owed, press] };
  if (data.decision !== null) return { ...data, waiting: [...data.waiting, press] };
  return { ...data, decision: decisionOn(press) };
}

function decisionOn(press: PressNumber): Decision {
  return { press, phase: 'check', lost: 0, isAwaited: false };
}

/** The service's outcome. `by`: it accepted this person's decision; `sent`: this one was sent, and it did not say. */
export function learn(
  data: Data,
  status: Final,
  { by = null, sent = null }: { readonly by?: Person | null; readonly sent?: Person | null },
): Data {
  const { decision, waiting, outcome } = data;
  if (outcome !== null) {
    const isBetter = by !== null && outcome.by === null;
    return isBetter ? { ...data, outcome: { status, by, sent: null }, isShown: false } : data;
  }
  const own = decision === null ? [] : [decision.press];
  return {
    ...data,
    decision: null,
    waiting: [],
    owed: [...data.owed, ...own, ...waiting],
    outcome: { status, by, sent },
    isShown: false,
  };
}

/** `isQuiet`: when the status was requested, no decision could still arrive. */
export function applyRead(
  data: Data,
  status: Status,
  isQuiet: boolean,
  plant: ProtocolPlant | undefined,
): Data {
  const { decision, waiting } = data;
  if (decision === null) return data;
  const { by, wants } = pressOf(decision.press);
  if (status !== 'pending') {
    const wasSent = decision.phase !== 'check';
    return learn(data, status, { sent: wasSent && wants === status ? by : null });
  }
  if (decision.phase === 'check') return { ...data, decision: { ...decision, phase: 'send' } };
  if (plant === 'opposite-without-waiting' && waiting.length > 0) return close(data);
  if (!isQuiet && plant !== 'repeat-without-waiting') {
    return { ...data, decision: { ...decision, phase: 'settle', isAwaited: true } };
  }
  // The same decision again; then its author is told that it may not have arrived.
  const lost = decision.lost + 1;
  return lost > 1 ? close(data) : { ...data, decision: { ...decision, phase: 'send', lost } };
}

/** It is not known whether the decision arrived. */
export function settle(data: Data): Data {
  const { decision } = data;
  if (decision?.phase !== 'sending') return data;
  return { ...data, decision: { ...decision, phase: 'settle', isAwaited: false } };
}

/** Its author is told, and the next waiting press follows. */
function close(data: Data): Data {
  const { decision, waiting, owed } = data;
  if (decision === null) return data;
  const [press, ...rest] = waiting;
  const next = press === undefined ? null : decisionOn(press);
  return { ...data, decision: next, waiting: rest, owed: [...owed, decision.press] };
}

/** An update has its mark, too: what it shows is saved before. */
export function noteShowing(data: Data): Data {
  return { ...data, isShowing: true, isShown: false, isShownAgain: data.isShowing };
}

export function endShowing(data: Data): Data {
  return { ...data, isShowing: false, isShown: true };
}

/** A person whom the message names stays named. */
export function recall(data: Data, message: Outcome | null): Data {
  const recalled = { ...data, isRecalled: true };
  if (message === null) return recalled;
  const { status, by, sent } = message;
  return { ...learn({ ...recalled, outcome: null }, status, { by, sent }), isShown: true };
}
