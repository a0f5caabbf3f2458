/** What the first channel shows above the first request. */
export function Welcome() {
  return (
    <section class="welcome" aria-label="Welcome">
      <h3>An approval, from question to answer</h3>
      <p>
        This page imitates a chat workspace, a pipeline, and a collaboration service with an
        automation. The bot is real.
      </p>
      <ol>
        <li>A pipeline or an automation asks for approval. The bot posts a message here.</li>
        <li>Ana or Ben presses Approve or Reject. Others are told why they cannot.</li>
        <li>Whoever asked gets the answer, once. Behind the scenes you see how.</li>
      </ol>
    </section>
  );
}
