/** A Block Kit block or element in JSON. */
export interface Block {
  readonly type: string;
  readonly block_id?: string;
  readonly [member: string]: unknown;
}

export interface MessageMetadata {
  readonly event_type: string;
  readonly event_payload: Readonly<Record<string, unknown>>;
}

/** A message in Slack's shape. `ts` is unique in its channel. */
export interface Message {
  readonly type: 'message';
  readonly subtype?: string;
  readonly ts: string;
  readonly user: string;
  readonly team?: string;
  readonly bot_id?: string;
  readonly app_id?: string;
  readonly text: string;
  readonly blocks?: readonly Block[];
  readonly attachments?: readonly Attachment[];
  /** Of the app, in place of its own name and picture. */
  readonly username?: string;
  readonly icons?: { readonly emoji?: string; readonly image_64?: string };
  readonly files?: readonly Readonly<Record<string, unknown>>[];
  readonly metadata?: MessageMetadata;
  /** Of an answer that grows while the app writes it. */
  readonly streaming_state?: 'in_progress' | 'completed';
  readonly thread_ts?: string;
  readonly reactions?: readonly Reaction[];
  readonly edited?: { readonly user: string; readonly ts: string };
}

/** A secondary attachment, as Slack keeps it; those of the app were checked. */
export interface Attachment {
  /** From 1. */
  readonly id?: number | undefined;
  readonly callback_id?: string | undefined;
  readonly blocks?: readonly Block[] | undefined;
  /** Buttons of the kind before Block Kit. */
  readonly actions?: readonly AttachmentAction[] | undefined;
  readonly [member: string]: unknown;
}

export interface AttachmentAction {
  readonly id: string;
  readonly type: 'button';
  readonly text: string;
  readonly name?: string | undefined;
  readonly value?: string | undefined;
  readonly url?: string | undefined;
  readonly style?: 'default' | 'primary' | 'danger' | undefined;
  readonly confirm?:
    | {
        readonly text: string;
        readonly title?: string | undefined;
        readonly ok_text?: string | undefined;
        readonly dismiss_text?: string | undefined;
      }
    | undefined;
}

/** An emoji reaction. */
export interface Reaction {
  /** Without colons. */
  readonly name: string;
  readonly users: readonly string[];
  readonly count: number;
}

/** A message in a channel that only one person sees; it is in no history. */
export interface EphemeralMessage extends Message {
  readonly channel: string;
  /** Who sees it. */
  readonly to: string;
}

/** A person or a bot, in the shape of `users.info`. */
export interface User {
  readonly id: string;
  readonly team_id: string;
  readonly name: string;
  readonly real_name: string;
  readonly deleted: boolean;
  readonly tz: string;
  readonly tz_label: string;
  readonly tz_offset: number;
  readonly profile: UserProfile;
  readonly is_admin: boolean;
  readonly is_owner: boolean;
  readonly is_primary_owner: boolean;
  readonly is_restricted: boolean;
  readonly is_ultra_restricted: boolean;
  readonly is_bot: boolean;
  readonly is_app_user: boolean;
  /** Only for people from another company. */
  readonly is_stranger?: boolean;
  readonly is_email_confirmed: boolean;
  readonly enterprise_user?: { readonly enterprise_id: string; readonly id: string };
  /** Seconds since 1970. */
  readonly updated: number;
}

export interface UserProfile {
  readonly real_name: string;
  readonly display_name: string;
  readonly email?: string;
  readonly team: string;
}

/** A modal or a Home tab as Slack keeps it. */
export interface View {
  readonly id: string;
  readonly type: 'modal' | 'home';
  readonly hash: string;
  readonly root_view_id: string;
  readonly previous_view_id: string | null;
  readonly callback_id: string;
  readonly private_metadata: string;
  readonly blocks: readonly Block[];
  readonly [member: string]: unknown;
}
