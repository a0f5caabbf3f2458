// @ts-check

/** @typedef {import('./page-state.ts').PageState} PageState */

const endedWords = 'The demo has ended. Start it again.';

/** @param {string} user @returns {Promise<PageState | null>} null when nobody answers */
export async function readState(user) {
  try {
    const answer = await fetch(`/sandbox/v1/state?user=${encodeURIComponent(user)}`);
    if (!answer.ok) throw new Error(`status ${answer.status}`);
    const state = await answer.json();
    forgetEnd();
    return state;
  } catch {
    showEnd();
    return null;
  }
}

/** Does something; what goes wrong is shown, and given. @param {string} path @param {unknown} body @returns {Promise<{ shown?: string, error?: string }>} */
export async function post(path, body) {
  const given = await answerTo(path, body).catch(() => ({ error: endedWords }));
  trouble().textContent = given.error ?? '';
  return given;
}

/** @param {string} path @param {unknown} body */
async function answerTo(path, body) {
  const answer = await fetch(`/sandbox/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return answer.json();
}

/** Hears of every change, also of a sandbox that was started again at this address. @param {() => void} changed */
export function follow(changed) {
  const events = new EventSource('/sandbox/v1/events');
  events.onmessage = changed;
  events.onerror = () => {
    showEnd();
    // A browser tries again by itself, but not after an answer that is no stream of events.
    if (events.readyState === EventSource.CLOSED) setTimeout(follow, 1_000, changed);
  };
}

function showEnd() {
  showHint(endedWords);
}

function forgetEnd() {
  for (const alert of document.querySelectorAll('[role="alert"]')) {
    if (alert.textContent === endedWords) alert.textContent = '';
  }
}

/** A live region is read out whenever it is written. @param {string} words */
export function showHint(words) {
  const hint = /** @type {HTMLElement} */ (document.getElementById('hint')); // it stands in page.html
  if (hint.textContent !== words) hint.textContent = words;
}

function trouble() {
  return /** @type {HTMLElement} */ (document.getElementById('trouble')); // it stands in page.html
}
