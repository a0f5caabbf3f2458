import { useEffect, useState } from 'preact/hooks';
import type { PageState } from '../page-state.ts';

/** One line that says what to try next, and a way to skip it. It is read out when it changes. */
export function Guide({ state }: { state: PageState }) {
  const done = useDone();
  const { me, approvals } = state;
  const isApproved = approvals.some(({ status }) => status === 'APPROVED');
  const open = isApproved ? STEPS.filter((step) => !done.has(step.id)) : [];
  const [next] = open;
  const reached = open.filter(({ isReached }) => isReached?.(state)).map(({ id }) => id);
  const key = reached.join(' ');
  useEffect(() => {
    for (const id of key.split(' ').filter(Boolean)) finish(id);
  }, [key]);
  // A sandbox that was reset starts the guide over.
  useEffect(() => {
    if (approvals.length === 0) startOver();
  }, [approvals.length === 0]);
  const words = isApproved ? (next?.words(state) ?? '') : firstStep(approvals[0], me);
  return (
    <div class="guide">
      <p class="next-step" role="status">
        {words}
      </p>
      {next && (
        <button type="button" class="skip" onClick={() => finish(next.id)}>
          Skip
        </button>
      )}
    </div>
  );
}

/** Until the first approval is approved. */
function firstStep(latest: PageState['approvals'][number] | undefined, me: PageState['me']) {
  if (!latest) return 'Start here: press “Ask for approval” under “Behind the scenes”.';
  if (latest.status === 'PENDING') return pendingStep(me);
  if (latest.canCheck) {
    return 'The bot will find out at its next check. To speed that up, press “Tell the bot to check”.';
  }
  return 'See what the message says now. Then press “Ask for approval” again, and approve.';
}

function pendingStep(me: PageState['me']): string {
  const name = firstName(me);
  if (me.isReleaseManager)
    return `You are ${name}, a release manager. Press Approve in #deployments.`;
  return `You are ${name}, who cannot decide. Try it, then switch to Ana or Ben (top right).`;
}

interface Step {
  readonly id: string;
  readonly words: (state: PageState) => string;
  /** What the state shows once it is done. A command is done when it is sent. */
  readonly isReached?: (state: PageState) => boolean;
}

const GUEST = 'U0GUS';

const STEPS: readonly Step[] = [
  {
    id: 'refused',
    words: ({ approvals, me }) => {
      if (!approvals.some(({ status }) => status === 'PENDING'))
        return 'Now be refused: press “Ask for approval” again.';
      return me.id === GUEST
        ? 'You are Gus, a guest. Press Approve and see why it is refused.'
        : 'Now be refused: switch to Gus (top right), then press Approve.';
    },
    isReached: ({ me, channels }) =>
      me.id === GUEST &&
      channels.some(({ messages }) =>
        messages.some(({ isApp, isOnlyForYou }) => isApp && isOnlyForYou),
      ),
  },
  {
    id: 'broken',
    words: ({ me, troubles, approvals }) => {
      if (troubles.service === 'none') return 'Under “Break things”, set the service to “is down”.';
      if (!approvals.some(({ status }) => status === 'PENDING'))
        return 'The service is broken. Ask for another approval.';
      if (!me.isReleaseManager) return 'The service is broken. Switch to Ana or Ben (top right).';
      return 'The service is broken. Press Approve and watch the message.';
    },
    isReached: ({ troubles, requests }) =>
      troubles.service !== 'none' &&
      requests.some(({ answered }) => answered === 0 || (answered ?? 0) >= 500),
  },
  { id: '/approvals', words: () => 'Send “/approvals” to list the requests you can decide.' },
  { id: '/move-task', words: () => 'As Ana, send “/move-task OPS-12” to move a work item.' },
  { id: '/new-case', words: () => 'As Ana, send “/new-case” to create a test case.' },
  { id: '/people', words: () => 'As Ana or Dana, send “/people” to manage accounts.' },
];

function firstName({ name }: PageState['me']): string {
  return name.split(' ')[0] ?? name;
}

/** For this window, and through a reload. */
const key = 'guide';
const listeners = new Set<() => void>();

/** A message or a command was sent. */
export function noteSent(text: string): void {
  const [command = ''] = text.split(/\s/u);
  if (STEPS.some(({ id }) => id === command)) finish(command);
}

function finish(id: string): void {
  keep([...stored(), id]);
}

function startOver(): void {
  if (stored().length > 0) keep([]);
}

function keep(ids: readonly string[]): void {
  kept = [...new Set(ids)];
  try {
    sessionStorage.setItem(key, kept.join(' '));
  } catch {
    // A browser that keeps nothing shows the guide again after a reload.
  }
  for (const listener of listeners) listener();
}

let kept: readonly string[] | undefined;

function stored(): readonly string[] {
  if (kept !== undefined) return kept;
  try {
    kept = (sessionStorage.getItem(key) ?? '').split(' ').filter(Boolean);
  } catch {
    kept = [];
  }
  return kept;
}

function useDone(): ReadonlySet<string> {
  const [done, setDone] = useState(stored);
  useEffect(() => {
    const listener = (): void => setDone(stored());
    listeners.add(listener);
    return () => void listeners.delete(listener);
  }, []);
  return new Set(done);
}
