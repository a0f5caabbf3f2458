/** Finds the element that a hint names, as it is drawn now. */
export type Target = () => HTMLElement | undefined;

const named =
  (selector: string, words?: string): Target =>
  () =>
    [...document.querySelectorAll<HTMLElement>(selector)].findLast(
      ({ textContent }) => words === undefined || textContent?.startsWith(words),
    );

const deployments = named('.channel-link', 'deployments');
const infrastructure = named('.channel-link', 'infrastructure');

/** If there are several, the last one: in a channel that is the newest. */
export const targets = {
  /** In another channel, the link to the channel with the requests. */
  approve: () => named('.conversation .message button', 'Approve')() ?? deployments(),
  reject: () => named('.conversation .message button', 'Reject')() ?? deployments(),
  menu: () => named('.conversation .message [aria-label="More actions"]')() ?? deployments(),
  /** The link, until the channel is open. */
  infrastructure: () => {
    const link = infrastructure();
    const isOpen = link?.matches('[aria-current]') === true;
    return isOpen ? named('.conversation .message button', 'Approve')() : link;
  },
  undo: () => named('.conversation .message button', 'Undo')() ?? infrastructure(),
  person: named('.person-switch select'),
  /** The Home tab has none. */
  composer: () => named('.conversation .composer')() ?? deployments(),
  home: () => named('.app-tabs button', 'Home')() ?? named('.channel-link', 'Gatepost')(),
  ask: named('.backstage button', 'Ask for approval'),
  run: named('.backstage button', 'Run gatepost ask'),
  check: named('.backstage button', 'Tell the bot to check'),
  service: named('.backstage [aria-label="Break things"] label:first-child'),
  fix: named('.backstage button', 'Fix everything'),
} satisfies Record<string, Target>;
