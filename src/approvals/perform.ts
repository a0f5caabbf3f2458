import type { Route } from '../config/config.ts';
import type { Clock } from '../lib/clock.ts';
import { redact } from '../lib/redact.ts';
import type { Raise } from '../notices/raise-notice.ts';
import { takeSpareTurn, takeTurn } from '../posts/make-post.ts';
import type { PostingQueue } from '../posts/posting-queue.ts';
import { takeBudgetTurn } from '../reconcile/budget.ts';
import { STEP_MS } from '../reconcile/flow.ts';
import { settled as settledBy } from '../reconcile/settled.ts';
import type { ServiceClient } from '../service/service-client.ts';
import type { Lookup } from '../slack/lookup.ts';
import type { Outbox, Update } from '../slack/outbox.ts';
import type { Words } from '../slack/words.ts';
import type { Store } from '../store/store.ts';
import type { Access } from './access.ts';
import { aboutOf, alarmSentence } from './alarm.ts';
import { type Approval, type Click, messagePart, type Tell } from './approval.ts';
import type { SealedText } from './cast-ballot.ts';
import { deliverWords } from './deliver-words.ts';
import { type Asking, beginAsking, type ExamineNeeds, examine } from './examine.ts';
import type { Face } from './face.ts';
import { approvalMessage } from './message.ts';
import { isOverflow } from './overflow.ts';
import { findPart, metadataFor, postPart, recallNamed } from './post-part.ts';
import { isRecheck } from './recheck.ts';
import { type Settled, sendDecision, showDecidingInMs } from './send-decision.ts';
import { factsOf, settled } from './settled.ts';
import type { Examination, LookWhy, Step, StepResult } from './step.ts';

export interface PerformNeeds extends ExamineNeeds {
  readonly service: ServiceClient['approvals'];
  readonly outbox: Outbox;
  readonly words: Words;
  readonly lookup: ExamineNeeds['lookup'] & Pick<Lookup, 'userByEmail'>;
  readonly store: Pick<Store, 'pace' | 'pause'>;
  readonly queue: Pick<PostingQueue, 'taken'>;
  /** The clock that lookups of people go by. */
  readonly ages: Pick<Clock, 'monotonic'>;
  /** Opens what was sealed. */
  readonly open: (sealed: string, what: SealedText) => string;
  readonly routeNamed: (name: string) => Route | undefined;
  readonly budgetPerMinute: number;
  readonly raise: Raise;
  /** Lets approvals that stand on a list try again. Throws StoreError. */
  readonly wake: (list: string) => Promise<void>;
  readonly access: Access;
}

/** Makes the one external call of a step. What fails elsewhere is a result; only our own mistakes throw. */
export async function perform(
  needs: PerformNeeds,
  id: string,
  approval: Approval,
  step: Step,
): Promise<StepResult> {
  switch (step.kind) {
    case 'look':
      return afterCall(needs, approval, await settled(look(needs, approval, step)), step.why);
    case 'examine':
      return examineAll(needs, approval, step);
    case 'identify':
      return settled(
        needs.lookup
          .userByEmail(step.email)
          .then((user) => ({ kind: 'identified', user: user ?? null }) as const),
      );
    case 'find':
      return settled(findPart(needs, id, approval, step));
    case 'open':
      return settled(
        needs.outbox
          .openDirectMessage(step.user)
          .then((channel) => ({ kind: 'opened', channel }) as const),
      );
    case 'turn':
      return turnIn(needs, step);
    case 'post':
      return postPart(needs, id, approval, step);
    case 'recall':
      return settled(recallNamed(needs, id, approval));
    case 'update':
      return update(needs, id, approval, step.face);
    case 'respond':
      return afterCall(needs, approval, await respond(needs, id, approval, step));
    case 'tell':
      return settled(deliverWords(needs, owedWords(approval, step.tell)));
    case 'alarm':
      if (step.alarm.cause !== 'look-not-known' || (await needs.access.isThirdNotKnown(id))) {
        await needs.raise({ about: aboutOf(step.alarm), text: alarmSentence(step.alarm) });
      }
      return { kind: 'done' };
    case 'wake':
      await needs.wake(step.list);
      return { kind: 'done' };
  }
}

async function afterCall<Result extends StepResult>(
  { access }: PerformNeeds,
  { watch }: Approval,
  result: Result,
  why?: LookWhy,
): Promise<Result> {
  // Nobody waits for a poll.
  if (result.kind === 'status') await access.shown(why === 'watch' && watch.askers === undefined);
  return access.after(result, watch.woken === true);
}

/** What continues a message goes after what asks. */
async function turnIn(
  { store, queue }: PerformNeeds,
  { part, channel }: Extract<Step, { kind: 'turn' }>,
): Promise<StepResult> {
  if (isOverflow(part)) return takeSpareTurn({ store }, channel);
  const turn = await takeTurn({ store }, channel);
  queue.taken(channel, turn.waitMs);
  return turn;
}

/** Everybody at once, and beside them the status: all of it is read after the click. */
async function examineAll(
  needs: PerformNeeds,
  approval: Approval,
  { click, others = [], look: looking }: Extract<Step, { kind: 'examine' }>,
): Promise<Examination> {
  const route = needs.routeNamed(approval.route);
  const asking = beginAsking(needs.ages);
  const again = others.map(
    async (user) => [user, await examine(needs, route, approval, user, asking)] as const,
  );
  const [found, looked, ...examined] = await Promise.all([
    settledBy(examineClick(needs, route, approval, click, asking), factsOf),
    looking && settledBy(readStatus(needs, approval, looking.deadlineMs), factsOf),
    ...again,
  ]);
  if (looked === undefined && examined.length === 0) return found;
  const look = looked && (await afterCall(needs, approval, looked));
  return { ...found, beside: { others: Object.fromEntries(examined), ...(look && { look }) } };
}

/** A reason is opened for somebody who may decide alone, and shown without the token. */
async function examineClick(
  needs: PerformNeeds,
  route: Route | undefined,
  approval: Approval,
  click: Click,
  asking: Asking,
): Promise<Examination> {
  const result = await examine(needs, route, approval, click.user, asking);
  // The reason of a decision that is examined again is there.
  if (result.kind !== 'accepted' || isRecheck(approval.decision, click)) return result;
  if (click.reason === undefined) {
    const isMissing = route?.reason[click.action] === 'required';
    return isMissing ? { kind: 'not-allowed', code: 'reason-missing' } : result;
  }
  const reason = needs.open(click.reason, 'reason');
  return { ...result, reason: redact(reason, [needs.open(approval.token, 'token')]) };
}

async function look(
  needs: PerformNeeds,
  approval: Approval,
  { why, deadlineMs }: Extract<Step, { kind: 'look' }>,
): Promise<StepResult> {
  const isPoll = why === 'watch' && approval.watch.askers === undefined;
  if (isPoll && approval.watch.turn === undefined) {
    const waitMs = await takeBudgetTurn(needs.store, needs.budgetPerMinute);
    if (waitMs > 0) return { kind: 'turn', waitMs };
  }
  return readStatus(needs, approval, deadlineMs);
}

async function readStatus({ service, open }: PerformNeeds, approval: Approval, deadlineMs: number) {
  const answer = await service.get(open(approval.token, 'token'), { deadlineMs });
  return { kind: 'status', answer } as const;
}

/** Shows a face of the message. */
export async function update(
  { outbox, routeNamed }: PerformNeeds,
  id: string,
  approval: Approval,
  face: Face,
): Promise<StepResult> {
  const { ts } = messagePart(approval);
  if (ts === undefined) throw new Error('a message is posted before it is changed');
  const route = routeNamed(approval.route);
  const message = approvalMessage(id, approval, face, { route });
  return settled(
    outbox
      .update({ channel: approval.channel, ts, ...message, ...namesIn(id, approval, face) })
      .then(() => ({ kind: 'done' }) as const),
  );
}

/** Without it the message keeps the metadata that it has. */
function namesIn(id: string, approval: Approval, face: Face): Partial<Pick<Update, 'metadata'>> {
  return face.state === 'decided' ? { metadata: metadataFor(id, approval, 'message', face) } : {};
}

async function respond(
  needs: PerformNeeds,
  id: string,
  approval: Approval,
  step: Extract<Step, { kind: 'respond' }>,
): Promise<StepResult> {
  const { decision } = approval;
  if (decision === undefined) throw new Error('there is no decision to send');
  const { action, serviceUser } = decision;
  const send = async () => {
    const token = needs.open(approval.token, 'token');
    const body = { action, userId: serviceUser ?? null };
    return needs.service.respond(token, body, { deadlineMs: STEP_MS });
  };
  return sendDecision({
    answer: send().then(
      (status): Settled => ({ kind: 'status', answer: status }),
      (error: unknown): Settled => ({ kind: 'failed', failure: factsOf(error) }),
    ),
    showDeciding: () => showDeciding(needs, id, approval),
    showInMs: showDecidingInMs(decision, step),
  });
}

/** Shows that the decision is being carried out, if there is a message to show it. */
export async function showDeciding(
  needs: PerformNeeds,
  id: string,
  approval: Approval,
): Promise<StepResult> {
  const { decision } = approval;
  if (decision === undefined || messagePart(approval).ts === undefined) return { kind: 'done' };
  const { action, by } = decision;
  return update(needs, id, approval, { state: 'deciding', action, by });
}

function owedWords({ tells }: Approval, id: string): Tell {
  const owed = tells.find((each) => each.id === id);
  if (owed === undefined) throw new Error('a sentence is delivered only while it is owed');
  return owed;
}
