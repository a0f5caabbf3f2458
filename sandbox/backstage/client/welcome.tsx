/** What the first channel shows above the first request. */
export function Welcome() {
  return (
    <section class="welcome" aria-label="Welcome">
      <h3>An approval, from question to answer</h3>
      <p>
        This page imitates a chat workspace, a collaboration service and one of its automations. The
        bot is real.
      </p>
      <ol>
        <li>Behind the scenes, the automation asks for approval. The bot posts a message here.</li>
        <li>Ana or Ben presses Approve or Reject. Others are told why they cannot.</li>
        <li>The service receives the decision, and the message says what it answered.</li>
      </ol>
    </section>
  );
}
