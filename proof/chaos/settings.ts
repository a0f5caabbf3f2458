/** The workspace of a chaos run: its channels, who can decide in which route, and the bots' configuration. */

export interface RouteOfChaos {
  readonly id: string;
  readonly reviewers: readonly string[];
  readonly quorum: number;
  readonly text: string;
}

/** Those who can decide, unless their account is taken away. */
export const ABLE = ['U0ANA', 'U0BEN', 'U0CLEO', 'U0DANA'] as const;
/** Reviewers who cannot: without an account, a guest, with a deactivated account. */
export const UNABLE = ['U0UNA', 'U0GUS', 'U0IVO'] as const;

const NAMED = [...ABLE, ...UNABLE];

export const ROUTES: readonly [RouteOfChaos, ...RouteOfChaos[]] = [
  { id: 'one', reviewers: NAMED, quorum: 1, text: `users: [${NAMED}]` },
  { id: 'two', reviewers: NAMED, quorum: 2, text: `users: [${NAMED}]` },
  { id: 'group', reviewers: ['U0ANA', 'U0BEN'], quorum: 1, text: 'groups: [S0REL]' },
];

/** A channel accepts one post a second: with this many, nothing waits for that. */
export const CHANNELS: readonly string[] = Array.from({ length: 80 }, (_, at) => `C0CHAOS${at}`);

export const SETTINGS = `
retention: { decided: 1s }
sources:
  - id: default
    secret: GATEPOST_INTAKE_SECRET
    kinds: [approval, gate]
    routes: [${ROUTES.map(({ id }) => id)}]
    channels: [${CHANNELS}]
routes:
${ROUTES.map(
  ({ id, quorum, text }) => `  ${id}:
    channel: ${CHANNELS[0]}
    reviewers: { ${text} }
    quorum: ${quorum}
    identity: require
    reason: { approve: none, reject: none }
    outcomes: { thread: true, requester: true }`,
).join('\n')}
budget: { perMinute: 6000 }
`;
