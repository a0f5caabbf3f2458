/** When somebody pressed, sent a form or typed a command, by Slack's clock. */
export interface ActedAt {
  /** In ms. */
  readonly ms: number;
  /** Only the second is known: the header of a form or a command over HTTP. */
  readonly isWhole?: true;
  /** It was not before then: a form in Socket Mode, by the button that opened it. */
  readonly isLeast?: true;
}

/** Of a command or press: `id` is unique to it; `acted`: absent for a command in Socket Mode. */
export interface Delivery {
  readonly id: string;
  readonly acted?: ActedAt;
}

/** Of a request from Slack whose own time counts: nothing in Socket Mode, where it is not known. */
export function actedIn(sentAt: number | undefined): { readonly acted?: ActedAt } {
  return sentAt === undefined ? {} : { acted: { ms: sentAt, isWhole: true } };
}

/** By Slack user id: what each did last. */
export type Acts = Readonly<Record<string, ActedAt>>;

/** Where one of the times has whole seconds, those are compared; equal ones count as they arrive. */
export function isEarlier(act: ActedAt, before: ActedAt): boolean {
  const isWhole = act.isWhole === true || before.isWhole === true;
  const of = ({ ms }: ActedAt) => (isWhole ? Math.floor(ms / 1_000) : ms);
  return of(act) < of(before);
}

/** With an act that counts: the newest is kept. */
export function withAct(acts: Acts | undefined, user: string, acted: ActedAt): Acts {
  return { ...acts, [user]: newer(acts?.[user], acted) };
}

export function newer(before: ActedAt | undefined, acted: ActedAt): ActedAt {
  return before === undefined || acted.ms >= before.ms ? acted : before;
}
