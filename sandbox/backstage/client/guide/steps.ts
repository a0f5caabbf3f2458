import type { DemoState, PageApproval } from '../../backstage-state.ts';
import { type Target, targets } from './targets.ts';

/** One thing to try. It counts as done when its effect is there, however it was caused. */
interface Step {
  readonly id: string;
  /** The next action. */
  readonly hint: (state: DemoState) => Hint;
  readonly isDone: (state: DemoState, done: ReadonlySet<string>) => boolean;
}

interface Hint {
  readonly words: string;
  /** The element that the hint names, if there is one. */
  readonly at?: Target;
}

const GUEST = 'U0GUS';

export const STEPS: readonly Step[] = [
  {
    id: 'approved',
    hint: (state) => {
      const { terminal } = state;
      if (terminal === null)
        return {
          words: 'Start here: press “Run gatepost ask” under “A pipeline that waits”.',
          at: targets.run,
        };
      if (terminal.exitCode !== null)
        return {
          words: 'The pipeline has stopped. Press “Run gatepost ask”, and approve this time.',
          at: targets.run,
        };
      const name = firstName(state.me);
      return isReleaseManager(state)
        ? {
            words: `You are ${name}, a release manager. A pipeline waits: press Approve in #deployments.`,
            at: targets.approve,
          }
        : {
            words: `You are ${name}, who cannot decide. Try it, then switch to Ana or Ben (top right).`,
            at: targets.person,
          };
    },
    isDone: ({ terminal }) => terminal?.exitCode === 0,
  },
  {
    id: 'rejected',
    hint: (state) => {
      const [latest] = state.approvals;
      if (!latest) {
        const words =
          'The pipeline went on. Now a service’s automation asks: press “Ask for approval”.';
        return { words, at: targets.ask };
      }
      if (latest.status === 'PENDING')
        return isReleaseManager(state)
          ? { words: 'Press Reject this time, and write why.', at: targets.reject }
          : { words: 'Switch to Ana or Ben (top right) to reject it.', at: targets.person };
      if (latest.canCheck) {
        const words =
          'The bot will find out at its next check. To speed that up, press “Tell the bot to check”.';
        return { words, at: targets.check };
      }
      const words =
        'See what the message says now. Then press “Ask for approval” again, and reject.';
      return { words, at: targets.ask };
    },
    isDone: ({ approvals }) =>
      approvals.some((each) => each.status === 'REJECTED' && isDecidedHere(each)),
  },
  {
    id: 'details',
    hint: () => ({
      words: 'Open the menu ⋯ of the message, and choose “Details…” to see what happened.',
      at: targets.menu,
    }),
    isDone: ({ modal }) => modal?.title === 'Details',
  },
  {
    id: 'refused',
    hint: (state) => {
      if (!isPending(state))
        return { words: 'Now be refused: press “Ask for approval” again.', at: targets.ask };
      return state.me.id === GUEST
        ? {
            words: 'You are Gus, a guest. Press Approve and see why it is refused.',
            at: targets.approve,
          }
        : {
            words: 'Now be refused: switch to Gus (top right), then press Approve.',
            at: targets.person,
          };
    },
    isDone: ({ me, channels }) =>
      me.id === GUEST &&
      channels.some(({ messages }) =>
        messages.some(({ isOnlyForYou, text }) => isOnlyForYou && text.includes('cannot decide')),
      ),
  },
  {
    id: 'broken',
    hint: (state) => {
      if (state.troubles.service === 'none')
        return {
          words: 'Under “Break things”, set the service to “is down”.',
          at: targets.service,
        };
      if (!isPending(state))
        return { words: 'The service is broken. Ask for another approval.', at: targets.ask };
      if (!isReleaseManager(state))
        return {
          words: 'The service is broken. Switch to Ana or Ben (top right).',
          at: targets.person,
        };
      return {
        words: 'The service is broken. Press Approve and watch the message.',
        at: targets.approve,
      };
    },
    isDone: isClickHeldUp,
  },
  {
    id: 'mended',
    hint: (state) => {
      // The message says so. While a decision is being sent it says neither.
      const isGivenUp = isSaid(state, '*Waiting for*') && !isClickHeldUp(state);
      const fix = 'press “Fix everything” under “Break things”';
      if (state.troubles.service !== 'none') {
        const words = isGivenUp
          ? `The bot gave up on that click after half a minute. To try again, ${fix}.`
          : `Mend it: ${fix}, and watch the click being carried out.`;
        return { words, at: targets.fix };
      }
      return isGivenUp
        ? { words: 'The bot gave up on that click. Press Approve again.', at: targets.approve }
        : { words: 'The service works again. Watch the message: the click is carried out.' };
    },
    isDone: (state, done) =>
      done.has('broken') && state.troubles.service === 'none' && isDecidedHere(state.approvals[0]),
  },
  {
    id: 'undone',
    hint: (state) => {
      if (isSaid(state, '"Undo"'))
        return { words: 'Approved, but held for 30 seconds: press Undo.', at: targets.undo };
      return ['Ben', 'Cleo'].includes(firstName(state.me))
        ? {
            words: `${firstName(state.me)} is in Security: approve a request in #infrastructure.`,
            at: targets.infrastructure,
          }
        : {
            words: 'In #infrastructure, Security has to approve. Switch to Ben (top right).',
            at: targets.person,
          };
    },
    isDone: (state) => isSaid(state, 'You took back your approval'),
  },
  {
    id: '/approvals',
    hint: () => ({
      words: 'Send “/approvals” to list the requests you can decide.',
      at: targets.composer,
    }),
    isDone: ({ channels }) =>
      channels.some(({ messages }) =>
        messages.some(({ isOnlyForYou, text }) => isOnlyForYou && /waiting for you/i.test(text)),
      ),
  },
  {
    id: 'home',
    hint: () => ({
      words: 'Open Gatepost on the left and its Home tab. “Select…” there decides several at once.',
      at: targets.home,
    }),
    isDone: ({ home }) => home !== null,
  },
  {
    id: 'service',
    hint: ({ me }) =>
      asOneOf(
        me,
        ['Ana'],
        'send “/move-task OPS-12”, “/new-case” or “/people”: the service from Slack.',
      ),
    isDone: ({ requests, testProjects, modal, accounts }) =>
      requests.some(({ words, answered }) => words.startsWith('move of ') && answered === 200) ||
      testProjects.some(({ caseCount }) => caseCount > 0) ||
      (modal?.title === 'Accounts' &&
        accounts.shown.some(({ name }) => JSON.stringify(modal.blocks).includes(name))),
  },
];

/** After the last step; what leads on is `SET_UP`. */
export const WAY_ON = 'That was the tour.';
export const SET_UP = 'Set Gatepost up in your own workspace';

/** A step that only some people can do. */
function asOneOf(me: DemoState['me'], names: readonly string[], words: string): Hint {
  if (names.includes(firstName(me)))
    return { words: `As ${firstName(me)}, ${words}`, at: targets.composer };
  return {
    words: `Switch to ${names.join(' or ')} (top right), then ${words}`,
    at: targets.person,
  };
}

function isReleaseManager({ me, releaseManagers }: DemoState): boolean {
  return releaseManagers.includes(me.id);
}

function isPending({ approvals }: DemoState): boolean {
  return approvals.some(({ status }) => status === 'PENDING');
}

/** By somebody in Slack, and sent to the service. */
function isDecidedHere(approval: PageApproval | undefined): boolean {
  return approval?.effects.some((effect) => effect.startsWith('by ')) === true;
}

/** A decision is kept until the service answers again. */
function isClickHeldUp(state: DemoState): boolean {
  return isSaid(state, 'Waiting for the service');
}

function isSaid({ channels }: DemoState, words: string): boolean {
  return channels.some(({ messages }) =>
    messages.some(
      ({ isApp, blocks, text }) => isApp && JSON.stringify([text, blocks]).includes(words),
    ),
  );
}

function firstName({ name }: DemoState['me']): string {
  return name.split(' ')[0] ?? name;
}
