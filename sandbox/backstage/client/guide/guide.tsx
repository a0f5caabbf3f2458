import { useEffect, useState } from 'preact/hooks';
import type { DemoState } from '../../backstage-state.ts';
import { ResetButton } from '../trouble-section.tsx';
import { SET_UP, STEPS, WAY_ON } from './steps.ts';
import { useRing } from './use-ring.ts';

/**
 * One line that says what to try next and shows the progress, with a way to skip it. Screen readers announce each
 * change.
 */
export function Guide({ state }: { state: DemoState }) {
  const [done, finish] = useDone(state.begunAt);
  const reached = STEPS.filter(({ id, isDone }) => !done.has(id) && isDone(state, done));
  const reachedIds = reached.map(({ id }) => id).join(' ');
  useEffect(() => {
    if (reachedIds !== '') finish(reachedIds);
  }, [reachedIds]);
  const next = STEPS.find(({ id }) => !done.has(id));
  const { words, at } = next?.hint(state) ?? { words: WAY_ON };
  useRing(words, at);
  return (
    <div class="guide">
      <span class="progress">
        {done.size} of {STEPS.length}
      </span>
      <p class="next-step" role="status">
        {words}
        {!next && state.guide !== null && (
          <>
            {' '}
            <a href={state.guide} target="_blank" rel="noreferrer">
              {SET_UP}
            </a>
          </>
        )}
      </p>
      {next ? (
        <button type="button" class="button small" onClick={() => finish(next.id)}>
          Skip
        </button>
      ) : (
        <ResetButton kind="small" words="Restart the tour" />
      )}
    </div>
  );
}

const key = 'guide';

/** The steps that were done in this window; they survive a reload. A restarted sandbox starts with none. */
function useDone(begunAt: number): [ReadonlySet<string>, (ids: string) => void] {
  const [kept, setKept] = useState(recall);
  const [of, ...ids] = kept.split(' ');
  const done = new Set(of === String(begunAt) ? ids : []);
  const finish = (more: string): void => {
    const all = [begunAt, ...done, more].join(' ');
    setKept(all);
    try {
      sessionStorage.setItem(key, all);
    } catch {
      // Without storage the guide starts over after a reload.
    }
  };
  return [done, finish];
}

function recall(): string {
  try {
    return sessionStorage.getItem(key) ?? '';
  } catch {
    return '';
  }
}
