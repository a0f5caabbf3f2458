/** What an empty first channel says. */
export function Welcome() {
  return (
    <section class="welcome" aria-label="Welcome">
      <h3>An approval, from question to answer</h3>
      <p>
        This page imitates a chat workspace, a collaboration service and one of its automations. The
        bot is real.
      </p>
      <ol>
        <li>
          Behind the scenes, let the automation <strong>ask for approval</strong>. The bot posts a
          message here.
        </li>
        <li>
          Press <strong>Approve</strong> or <strong>Reject</strong> as Ana or Ben, or as somebody
          who may not.
        </li>
        <li>See what the service received, and what the message says then.</li>
      </ol>
    </section>
  );
}
