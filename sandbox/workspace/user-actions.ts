import type { Message } from '../wire.ts';

/** The result of something that the app should be told about. */
export interface Delivery {
  /** False: nothing was sent, because it was not confirmed, Slack does not know it, or the app did not subscribe. */
  readonly sent: boolean;
  /** 0: no answer. */
  readonly status: number;
  readonly body: string;
  readonly ackMs: number;
  /** 200 within 3 s. */
  readonly acknowledged: boolean;
  /** What Slack itself shows the person, mostly if the app did not acknowledge. */
  readonly shown: string | null;
  /** The second delivery of `twice`. */
  readonly second?: Delivery;
}

/** Where a person does something: on a message, or in the open modal or Home tab. */
export type Place =
  | { readonly channel: string; readonly ts: string }
  | { readonly surface: 'modal' | 'home' };

/** `delivered`: Slack sends the same request twice. `pressed`: the person does it twice. */
export type Twice = 'delivered' | 'pressed';

export type Press = Place & {
  readonly user: string;
  /** `actionId` or `label` or both name the button; `<block id> <action id>` if blocks share an action id. */
  readonly actionId?: string;
  readonly label?: string | undefined;
  /** The person's answer to a confirmation; default true. */
  readonly confirm?: boolean;
  readonly twice?: Twice;
  /** Slack sends no `response_url` with it. */
  readonly hasResponseUrl?: false;
};

/** Typed text or a number; an id; an option by its value or its text; the name of a file; several of them; null clears. */
export type Entered = string | number | readonly string[] | null;

export type Choice = Place & {
  readonly user: string;
  /** Its action id (`<block id> <action id>` if blocks share one), or its label. */
  readonly input: string;
  readonly value: Entered;
  readonly confirm?: boolean;
  readonly twice?: Twice;
};

export type Suggestion = Place & {
  readonly user: string;
  /** Its action id (`<block id> <action id>` if blocks share one), or its label. */
  readonly input: string;
  readonly typed: string;
};

export interface Suggestions {
  /** Nothing is sent below the select's minimum query length. */
  readonly delivery: Delivery;
  /** Option objects, including those in groups. */
  readonly options: readonly unknown[];
}

export interface Typed {
  readonly user: string;
  readonly channel: string;
  /** `/approvals help` */
  readonly text: string;
  readonly twice?: Twice;
}

export interface ShortcutUse {
  readonly user: string;
  readonly callbackId: string;
  readonly channel?: string;
  readonly ts?: string;
  readonly twice?: Twice;
}

export interface Submission {
  readonly user: string;
  /** Entered before the submission, by the name of an input as in `Choice`. */
  readonly values?: Readonly<Record<string, Entered>>;
  readonly twice?: Twice;
}

export interface Closing {
  readonly user: string;
  /** The view's id; default the open one. */
  readonly view?: string;
  /** Closes the whole stack, not only the top view. */
  readonly all?: boolean;
}

export interface Saying {
  readonly user: string;
  readonly channel: string;
  readonly text: string;
  readonly threadTs?: string;
  /** More members of the message, in Slack's form and not checked. A `bot_id` makes it another app's. */
  readonly extra?: Pick<Message, 'attachments' | 'blocks' | 'bot_id' | 'files' | 'subtype'>;
}
