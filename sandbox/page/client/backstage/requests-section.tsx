import type { PageRequest, PageState } from '../../page-state.ts';
import type { Section } from './section.ts';

export const requestsSection: Section = { title: 'What the service received', Content: Requests };

function Requests({ state: { requests } }: { state: PageState }) {
  if (requests.length === 0) return <p class="quiet">Nothing yet.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without a pointer it is scrolled by keys
    <ol class="requests" aria-label="Requests, newest first" tabIndex={0}>
      {requests.map((request) => (
        <Request key={request.id} request={request} />
      ))}
    </ol>
  );
}

function Request({ request: { method, words, answered, at } }: { request: PageRequest }) {
  const isGood = answered !== null && answered >= 200 && answered < 300;
  const kind = isGood ? 'good' : answered === null ? 'waiting' : 'bad';
  return (
    <li title={new Date(at).toLocaleTimeString('en-GB')}>
      <span class="method">{method}</span> <span class="words">{words}</span>{' '}
      <span class={`answered ${kind}`}>{answeredWords(answered)}</span>
    </li>
  );
}

function answeredWords(answered: number | null): string {
  if (answered === null) return '…';
  return answered === 0 ? 'no answer' : String(answered);
}
