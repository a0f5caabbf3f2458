/** A promise to users. `id` is what stories cite. */
export interface Requirement {
  readonly id: string;
  readonly promise: string;
}

/** The six promises, in order of precedence. */
const PROMISES = [
  { id: 'no-click-lost', promise: 'No click is lost.' },
  { id: 'no-message-lies', promise: 'No message lies about an outcome.' },
  { id: 'nothing-twice', promise: 'Nothing happens twice.' },
  { id: 'nobody-decides-who-may-not', promise: 'Nobody decides without permission.' },
  { id: 'no-token-shown', promise: 'A token is in no message, log line, error, metric or store.' },
  { id: 'nobody-without-answer', promise: 'Every click gets an answer that says what to do.' },
] as const;

const REQUESTERS = [
  {
    id: 'asker-known',
    promise:
      'Somebody named by id, address or login is known, and cannot decide what they asked for.',
  },
  { id: 'asker-unknown', promise: 'Where it is not known who asked, the message says so.' },
  {
    id: 'asker-required',
    promise: 'A route can refuse requests of which it is not known who asked.',
  },
  {
    id: 'asker-added',
    promise: 'Who asks again with the same key or token cannot decide either, in whatever order.',
  },
  {
    id: 'asker-proved',
    promise:
      'An identity token proves who asks and from where; what is not proved is said, or refused.',
  },
  {
    id: 'asker-apart',
    promise:
      'Of one source, no repository reaches the requests of another; a request key opens one request.',
  },
  { id: 'asker-alone', promise: 'If only the requester could decide, message and source say so.' },
] as const;

const INTAKE = [
  { id: 'intake-new', promise: 'A new token is answered 202 and posted.' },
  { id: 'intake-known', promise: 'A known token is answered 200 and posted no second time.' },
  { id: 'intake-authentication', promise: 'Only a source with its secret is let in.' },
  { id: 'intake-rights', promise: 'A source uses its own routes and channels only.' },
  {
    id: 'intake-bad-input',
    promise: 'Bad input is answered with a problem, each fault pointed at.',
  },
  { id: 'intake-documented', promise: 'Every answer is as `/openapi.json` describes it.' },
  { id: 'intake-no-echo', promise: 'A problem never repeats a value that was sent.' },
  {
    id: 'intake-own-records',
    promise: 'A source sees its own approvals: status, ballots, outcome.',
  },
  {
    id: 'intake-posting',
    promise: 'A source sees whether its message could be posted, and why not.',
  },
  { id: 'intake-check', promise: 'A source may have its approval looked at now.' },
  { id: 'intake-narrows', promise: 'A request narrows reviewers and raises a quorum, never else.' },
  { id: 'one-round-trip', promise: 'Asking and clicking cost one round trip to the store each.' },
] as const;

const NETWORK = [
  { id: 'proxy', promise: 'Whatever goes out goes through the proxy that is configured.' },
] as const;

const MESSAGE = [
  { id: 'message-content', promise: 'The message says what is asked, by whom, and who decides.' },
  { id: 'message-escaped', promise: "Other people's text does not come alive." },
  { id: 'message-overflow', promise: 'What does not fit stands in the thread.' },
  {
    id: 'message-prompt',
    promise: "Without words of the automation the service's prompt is shown.",
  },
  {
    id: 'message-service',
    promise:
      'A press that waits for the service is shown; its person is named once they can decide.',
  },
  {
    id: 'message-sending',
    promise: 'Sending is shown only after a second, never after the end.',
  },
  { id: 'message-buttons', promise: 'Buttons carry an opaque id and nothing else.' },
  {
    id: 'message-details',
    promise: 'Whoever sees a message can see what happened to its request, and all that it asked.',
  },
] as const;

const CLICKS = [
  { id: 'click-acknowledged', promise: 'A click is acknowledged before anything slow.' },
  { id: 'click-once', promise: 'A double click and a double delivery decide once.' },
  { id: 'click-latest-counts', promise: "A person's latest accepted ballot counts." },
  { id: 'click-reject-decides', promise: 'One accepted reject decides.' },
  { id: 'click-quorum', promise: 'Approvals decide at the quorum, with progress.' },
  {
    id: 'click-needs',
    promise: 'A request is approved when different people cover every need, and the quorum.',
  },
  {
    id: 'click-take-back',
    promise: 'An approval can be taken back until it is part of a decision.',
  },
  {
    id: 'click-quorum-again',
    promise: 'Every ballot that counts is authorized again when the decision is made.',
  },
  { id: 'click-race', promise: 'Of two people at once one wins, the other is told who.' },
  { id: 'click-spent', promise: 'After an attempt without an outcome a later click is new.' },
  { id: 'click-copy', promise: 'A click on a copy is answered with a link to the original.' },
  { id: 'click-late', promise: 'A click on what is decided elsewhere is told so, uncredited.' },
  { id: 'click-in-a-flood', promise: 'Whoever floods or stalls Gatepost holds up nobody else.' },
] as const;

const PEOPLE = [
  { id: 'people-reviewers', promise: 'Reviewers decide: people, groups, or the channel.' },
  { id: 'people-nobody', promise: 'Without reviewers nobody decides.' },
  { id: 'people-requester', promise: 'The requester does not decide, however they are named.' },
  { id: 'people-members', promise: 'No bots, deactivated people, guests, strangers, other firms.' },
  {
    id: 'people-organisation',
    promise: 'An organisation is one company, by either id of a person.',
  },
  { id: 'people-one-vote', promise: 'One person is one vote, however many accounts they have.' },
  { id: 'people-active', promise: 'Whoever decides is active in the service.' },
  { id: 'people-linked', promise: 'Unlinked people are refused, or decide without a user id.' },
  { id: 'people-one-account', promise: 'Several accounts with an address are refused.' },
  {
    id: 'people-address',
    promise: 'Without a confirmed address nothing is looked for, and that is the reason given.',
  },
  { id: 'people-override', promise: 'An override in the configuration links a person.' },
  {
    id: 'people-pinned',
    promise: 'Another account than before counts when an administrator confirms it.',
  },
  { id: 'people-me', promise: 'Everybody sees what was looked for, and can ask for help.' },
  {
    id: 'people-meanwhile',
    promise: 'A change of groups or of the configuration counts at the next click.',
  },
  { id: 'people-overtaken', promise: 'Whose decision a change overtakes is told which it was.' },
  { id: 'people-at-click', promise: 'Rights are checked at the click, not at the post.' },
  { id: 'people-unknown', promise: 'Where rights cannot be looked up nobody is let in.' },
] as const;

const RESPOND = [
  { id: 'respond-get-first', promise: 'The status is read first; if it is final nothing is sent.' },
  { id: 'respond-user', promise: "The answer carries the person's service user id." },
  { id: 'respond-other-status', promise: 'A 200 with another status is shown as it is.' },
  { id: 'respond-not-sent', promise: 'Not sent: tried for 30 s, then the buttons come back.' },
  { id: 'respond-limited', promise: '429: waits, looks, sends again, at most twice.' },
  { id: 'respond-denied', promise: '401, 403: the buttons come back.' },
  { id: 'respond-invalid', promise: '400, 422: the buttons come back with the reason.' },
  {
    id: 'respond-resolved',
    promise: '404, 409, 410: the status is looked up; nobody is credited.',
  },
  {
    id: 'respond-ambiguous',
    promise: 'Ambiguous: looked up; the same action once more, then unknown.',
  },
  { id: 'respond-unreadable', promise: 'Done but unreadable: looked up, never shown as failed.' },
] as const;

const LOOK = [
  {
    id: 'look-not-sent',
    promise: 'GET not sent: tried for 30 s for a decision; else three tries, then a stale mark.',
  },
  { id: 'look-limited', promise: 'GET 429: waits.' },
  { id: 'look-denied', promise: 'GET 401, 403: polled on; administrators are told.' },
  {
    id: 'look-resumed',
    promise:
      'While every read is denied one a minute tries, and after the first answer all are read.',
  },
  { id: 'look-gone', promise: 'GET 404, 409, 410: unknown, with Check now.' },
  {
    id: 'look-not-known',
    promise: 'A 404 or 410 at the first read: the service does not know it.',
  },
  { id: 'look-refused', promise: 'GET 400, 422: the reason is shown.' },
  { id: 'look-ambiguous', promise: 'GET ambiguous: three more tries, then a stale mark.' },
  { id: 'look-unreadable', promise: 'GET unreadable: unknown, with Check now.' },
  { id: 'look-check-now', promise: 'Check now asks the service and answers who pressed.' },
  { id: 'dialects', promise: "The service's open points do not matter to what people see." },
] as const;

const SLACK = [
  {
    id: 'slack-fails',
    promise: 'A limit, a 5xx or a lost answer of any method of Slack does no harm in the end.',
  },
  { id: 'telling', promise: 'Words go by response_url, then ephemeral, then direct message.' },
  { id: 'post-limited', promise: 'A 429 on a post or update is waited for.' },
  { id: 'post-ambiguous', promise: 'A post whose answer was lost is found, not repeated.' },
  { id: 'post-refused', promise: 'Posts that an invitation mends are made right after it.' },
  { id: 'post-deleted', promise: 'A deleted message is posted once more.' },
  { id: 'update-ambiguous', promise: 'An ambiguous update is rendered again.' },
  { id: 'update-impossible', promise: 'An update that can never work becomes a new message.' },
] as const;

const ADMINISTRATORS = [
  {
    id: 'audit-sealed',
    promise: 'What is done to the audit log behind a running bot is told, and found by `verify`.',
  },
  {
    id: 'audit-streamed',
    promise:
      'Every entry of the audit log leaves the house, in order; a full disk delays no click.',
  },
  {
    id: 'administrators-told',
    promise: 'Administrators are told of what they alone can mend, and what to do.',
  },
  {
    id: 'administrators-once',
    promise: 'They are told once an hour of each trouble, however many approvals meet it.',
  },
] as const;

const STORE = [
  { id: 'store-readiness', promise: 'Not ready while the store takes no writes.' },
  {
    id: 'shard-away',
    promise: 'While a shard of a Cluster is away, presses on what the others keep are answered.',
  },
  {
    id: 'store-damaged',
    promise: 'A damaged or missing file of the folder is refused at the start, and said why.',
  },
] as const;

const LATER = [
  { id: 'keys-rotated', promise: 'The first key encrypts, all decrypt.' },
  { id: 'intake-rotated', promise: 'Two intake secrets are good while one is rotated.' },
  { id: 'reason-asked', promise: 'A reason is asked for where the route says so, and shown.' },
  { id: 'reason-closed', promise: 'Closing the modal is never a decision.' },
  { id: 'withdrawn', promise: 'A request that is withdrawn is closed and decides nothing.' },
  {
    id: 'withdrawn-own',
    promise: 'Who asked for an own gate can withdraw it in Slack; nobody else.',
  },
  {
    id: 'reminded',
    promise: 'Those who can still decide are reminded, until there is an outcome.',
  },
  { id: 'last-call', promise: 'Before a known deadline there is a last call.' },
  { id: 'rules-reread', promise: 'Rules that are read again hold at once, whole or not at all.' },
  {
    id: 'held',
    promise:
      'An approval is held before it is sent where the route says so, and never sent earlier.',
  },
  {
    id: 'undone',
    promise: 'Until then whoever approved can undo that.',
  },
  {
    id: 'away-not-mentioned',
    promise: 'Nobody waits for who is away: others are asked, and at last all, with that said.',
  },
  {
    id: 'reviewers-gone',
    promise: 'Only who can still decide is asked and counted; that they are too few is said.',
  },
  {
    id: 'stands-in',
    promise: 'A substitute decides only what the other could, and the two are one person.',
  },
  {
    id: 'escalated',
    promise: 'Whoever it is escalated to can decide from then on, and is mentioned once.',
  },
  { id: 'quiet-reviewers', promise: 'Quiet reviewers can decide, and are never mentioned.' },
] as const;

const OUTCOMES = [
  { id: 'outcome-thread', promise: 'The outcome is told in the thread.' },
  {
    id: 'message-folds',
    promise: 'A decided message folds to its outcome once its request is in the thread.',
  },
  { id: 'outcome-channel', promise: 'The outcome is told in the outcome channel.' },
  { id: 'outcome-requester', promise: 'The outcome is told to the requester directly.' },
  { id: 'outcome-elsewhere', promise: 'A decision made elsewhere is noticed without a click.' },
  { id: 'outcome-timeout', promise: 'A timeout is noticed without a click.' },
] as const;

const LISTS = [
  { id: 'list-waiting', promise: '/approvals lists what waits for who asks, with links.' },
  { id: 'list-asked', promise: '/approvals lists what who asks has asked for, with its state.' },
  { id: 'list-rights', promise: '/approvals lists nothing to decide for who may not decide it.' },
  { id: 'list-pages', promise: 'A long list comes in pages, in the same message.' },
  { id: 'list-at-once', promise: 'A command is acknowledged before anything slow.' },
  { id: 'list-trouble', promise: 'A list that cannot be made is answered with a reference.' },
  { id: 'home-waiting', promise: 'The Home tab shows what waits, what was asked for and decided.' },
  { id: 'home-decides', promise: 'What is shown whole on the Home tab is decided there.' },
  { id: 'home-review', promise: 'Review shows all of a request, with its buttons.' },
  { id: 'home-fresh', promise: 'The Home tab shows what became of a press on it.' },
  {
    id: 'home-rights',
    promise: 'The Home tab shows nobody what they may not decide or asked for.',
  },
  {
    id: 'home-several',
    promise:
      'Several requests are decided at once, each by a ballot of its own, in no more presses than one by one.',
  },
  { id: 'home-pages', promise: 'Long sections of the Home tab have pages and filters.' },
  { id: 'closed', promise: 'While a route is closed no approval is sent or recorded.' },
  { id: 'closed-told', promise: 'A closed route says until when and why, wherever people read.' },
  {
    id: 'closed-opened',
    promise: 'When a route opens its requests wait again, and their reviewers are mentioned once.',
  },
  { id: 'closed-who', promise: 'Administrators and closers close and open a route.' },
  { id: 'who-asked', promise: 'Who would be asked is shown without asking anybody.' },
  { id: 'away-set', promise: 'Whoever says that they are away is not mentioned until then.' },
  { id: 'away-told', promise: 'Who is named as a substitute is told, and when that ends early.' },
  { id: 'away-back', promise: 'Back ends an absence, wherever it is pressed or typed.' },
  { id: 'away-declined', promise: 'A substitute can decline, and who named them is told.' },
  {
    id: 'away-who',
    promise: 'Only who could decide by themselves can stand in, and in no circle.',
  },
  {
    id: 'away-listed',
    promise: 'Who is away is shown to them, to substitutes and administrators.',
  },
  {
    id: 'away-help',
    promise: 'What cannot be understood or checked changes nothing, and says so.',
  },
  { id: 'list-help', promise: '/approvals help, and words it does not know, get a sentence.' },
] as const;

const SOCKET_MODE = [
  { id: 'socket-reconnect', promise: 'While Slack replaces a connection no click fails.' },
  { id: 'socket-alone', promise: 'In Socket Mode nothing of Slack is taken over HTTP.' },
  { id: 'socket-broken', promise: 'Without a connection it is not ready, and connects again.' },
  { id: 'socket-refused', promise: 'A token that Slack does not accept ends the bot, said why.' },
] as const;

const MOVE = [
  {
    id: 'move-done',
    promise: 'What was reviewed is moved, to the letter, and told with its keys.',
  },
  {
    id: 'move-suggests',
    promise: 'Only same names and last choices are suggested, and marked so.',
  },
  {
    id: 'move-several',
    promise: 'Several items are reviewed once and moved one by one, each with a result of its own.',
  },
  { id: 'move-types', promise: 'A type with a workflow of its own is mapped by that.' },
  { id: 'move-many', promise: 'Too many options are searched; too many statuses are said.' },
  { id: 'move-by-hand', promise: 'An item can be entered by hand; mistakes are named by line.' },
  { id: 'move-pushed', promise: 'An item that an automation reported can be moved.' },
  { id: 'move-pushed-once', promise: 'A reported item is posted once.' },
  { id: 'move-moved', promise: 'An item that was moved is known as moved, and not as it was.' },
  { id: 'move-times', promise: 'Times are compared as instants, and echoed to the letter.' },
  { id: 'move-source', promise: 'An item belongs to the source that reported it first.' },
  {
    id: 'catalogue-reported',
    promise:
      'A project that its source describes is offered without a restart; the file takes precedence.',
  },
  {
    id: 'catalogue-own',
    promise:
      'A source describes its own projects only, never older than known; the id stands beside the name.',
  },
  { id: 'move-shortcut', promise: 'The item is found in the message the shortcut is used on.' },
  { id: 'move-who', promise: 'Only those who are named move anything; others get a sentence.' },
  { id: 'move-who-where', promise: 'Who may move can differ by where from and where to.' },
  { id: 'move-account', promise: 'Who moves is active in the service, as read after the press.' },
  { id: 'move-unread', promise: 'An item that cannot be read is said why.' },
  {
    id: 'move-refused',
    promise: '401, 403, 404: nothing was moved, and why, as far as it is known.',
  },
  { id: 'move-changed', promise: '409: what changed; reviewing again keeps what still fits.' },
  { id: 'move-invalid', promise: "422: back to the statuses, with the service's words." },
  { id: 'move-not-sent', promise: 'Not sent or too busy: the same body again, a few times.' },
  { id: 'move-lost', promise: 'A lost answer is looked up, never sent again by itself.' },
  { id: 'move-again', promise: 'The same is sent again when the person says so, to the letter.' },
  { id: 'move-unreadable', promise: 'An unreadable success is told as moved.' },
  { id: 'move-once', promise: 'A move that is pressed or delivered twice is sent once.' },
  {
    id: 'move-told',
    promise: 'A closed modal, or a channel without the bot, leaves nobody untold.',
  },
  { id: 'move-recorded', promise: 'Every move, and everybody turned away, is in the audit log.' },
] as const;

const TEST_CASES = [
  {
    id: 'set-up-told',
    promise: 'Without a catalogue an administrator reads what to add, and others whom to ask.',
  },
  { id: 'case-form', promise: 'A form creates a test case with what was chosen, and no more.' },
  { id: 'case-flags', promise: 'With flags it is created at once; a strange word is named.' },
  { id: 'case-shortcut', promise: 'A message becomes a test case: title, steps and its link.' },
  {
    id: 'case-thread',
    promise:
      'A thread becomes a test case: who wrote what, in order, how much is missing; or why not.',
  },
  { id: 'case-offered', promise: "The channel's last choices are offered." },
  {
    id: 'case-other-suite',
    promise:
      'A suite that nobody listed is typed by id, and offered in the channel once it was taken.',
  },
  { id: 'case-draft', promise: 'The answer names the draft, links it, and the channel is told.' },
  {
    id: 'case-announced',
    promise: 'Test cases and moves are announced where the settings say, and never twice.',
  },
  { id: 'case-refused', promise: 'What the service refuses is said, and can be changed.' },
  { id: 'case-lost', promise: 'A case whose answer is lost is never sent again by itself.' },
  { id: 'case-several', promise: 'Many lines become test cases, each once, and each end is told.' },
  { id: 'case-who', promise: 'Nobody creates a test case who may not, checked when it is sent.' },
  { id: 'case-account', promise: 'Who creates is active in the service, read after the press.' },
] as const;

const ACCOUNTS = [
  { id: 'accounts-find', promise: 'Accounts are found by name or address, whatever is ignored.' },
  { id: 'accounts-pages', promise: 'All accounts are shown page by page, and no page reads all.' },
  { id: 'accounts-card', promise: 'A card shows everything that is known of an account.' },
  { id: 'accounts-who', promise: 'Nobody but an administrator sees or changes an account.' },
  {
    id: 'accounts-create',
    promise: 'Creating says before and after what it does, and looks first.',
  },
  {
    id: 'accounts-edit',
    promise: 'What was changed is sent, and nothing is overwritten silently.',
  },
  {
    id: 'accounts-active',
    promise: 'An account is deactivated and re-activated, asked for twice.',
  },
  { id: 'accounts-protected', promise: 'Nobody deactivates themself or the last administrator.' },
  { id: 'accounts-lost', promise: 'After a lost answer it is looked at, and said what is there.' },
  {
    id: 'accounts-recorded',
    promise: 'Every change, and everybody turned away, is in the audit log.',
  },
  { id: 'accounts-leavers', promise: 'Administrators hear of who left and still has an account.' },
  { id: 'accounts-told', promise: 'What the service does not give is said, and what to do.' },
] as const;

const GATES = [
  {
    id: 'gate-address',
    promise: 'A gate is one address: the status is the answer, and 2xx is an approval alone.',
  },
  {
    id: 'gate-own',
    promise: 'Of an own gate Gatepost is the authority: the service is not asked about it.',
  },
  {
    id: 'gate-self-approval',
    promise: 'Whoever asked approves an own gate only once the other reviewers are told.',
  },
  {
    id: 'gate-reviewed',
    promise: 'What its requester approved is marked until another reviewer has looked at it.',
  },
  {
    id: 'result',
    promise:
      'What its source reports of an approval is shown, and told whoever asked if it failed.',
  },
  {
    id: 'result-claim',
    promise: 'One approval runs once: a second run that claims it is refused.',
  },
  {
    id: 'supersedes',
    promise: 'A newer request of the same name withdraws older ones that nobody decided.',
  },
  { id: 'gate-key', promise: 'A key stands for one content: again 200, with another 409.' },
  { id: 'gate-deadline', promise: 'An own gate times out at its deadline, by itself.' },
  { id: 'waiting', promise: 'Whoever waits for an end is told of it, on any replica.' },
  {
    id: 'callback',
    promise: 'A source is called back, signed, until it takes it, and delays nobody.',
  },
  { id: 'gate-rights', promise: 'Only a source with the right to asks for own gates.' },
  {
    id: 'without-service',
    promise: 'Without a service own gates work; everything else says that it is off.',
  },
] as const;

/** Everything that stories prove. */
export const requirements = [
  ...PROMISES,
  ...REQUESTERS,
  ...INTAKE,
  ...NETWORK,
  ...MESSAGE,
  ...CLICKS,
  ...PEOPLE,
  ...RESPOND,
  ...LOOK,
  ...SLACK,
  ...OUTCOMES,
  ...ADMINISTRATORS,
  ...STORE,
  ...LATER,
  ...LISTS,
  ...SOCKET_MODE,
  ...MOVE,
  ...TEST_CASES,
  ...ACCOUNTS,
  ...GATES,
] as const satisfies readonly Requirement[];

export type RequirementId = (typeof requirements)[number]['id'];
