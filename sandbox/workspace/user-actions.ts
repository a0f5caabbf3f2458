import type { Message } from '../wire.ts';

/** What became of something the app was to be told of. */
export interface Delivery {
  /** False when there was nothing to send: not confirmed, unknown to Slack, or the app did not ask to be told. */
  readonly sent: boolean;
  /** 0 when nobody answered. */
  readonly status: number;
  readonly body: string;
  readonly ackMs: number;
  /** 200 within 3 s. */
  readonly acknowledged: boolean;
  /** What Slack itself shows the person, mostly when the app did not acknowledge. */
  readonly shown: string | null;
  /** The other one of `twice`. */
  readonly second?: Delivery;
}

/** Where a person does something: at a message, or in the modal or home tab before them. */
export type Place =
  | { readonly channel: string; readonly ts: string }
  | { readonly surface: 'modal' | 'home' };

/** `delivered`: Slack sends the same request twice. `pressed`: the person does it twice. */
export type Twice = 'delivered' | 'pressed';

export type Press = Place & {
  readonly user: string;
  /** One of the two names the button; `<block id> <action id>` where blocks share an action id. */
  readonly actionId?: string;
  readonly label?: string;
  /** What the person answers to a confirmation; default true. */
  readonly confirm?: boolean;
  readonly twice?: Twice;
  /** Slack sends no `response_url` with it. */
  readonly hasResponseUrl?: false;
};

/** Words or a number as they are typed; an id; an option by its value or its text; several of them; null clears. */
export type Entered = string | number | readonly string[] | null;

export type Choice = Place & {
  readonly user: string;
  /** Its action id (`<block id> <action id>` where blocks share one), or what it is labelled. */
  readonly input: string;
  readonly value: Entered;
  readonly confirm?: boolean;
  readonly twice?: Twice;
};

export type Suggestion = Place & {
  readonly user: string;
  /** Its action id (`<block id> <action id>` where blocks share one), or what it is labelled. */
  readonly input: string;
  readonly typed: string;
};

export interface Suggestions {
  /** Not sent below the least length the select asks for. */
  readonly delivery: Delivery;
  /** Option objects, those in groups included. */
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
  /** Entered before it is submitted, by what names an input of a `Choice`. */
  readonly values?: Readonly<Record<string, Entered>>;
  readonly twice?: Twice;
}

export interface Closing {
  readonly user: string;
  /** Its id; that of the view before the person unless it is named. */
  readonly view?: string;
  /** Closes every view that lies upon another, not the uppermost alone. */
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
