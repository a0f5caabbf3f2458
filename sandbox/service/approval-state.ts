export type ApprovalAction = 'approve' | 'reject';

export type ApprovalStatus = 'PENDING' | 'APPROVED' | 'REJECTED' | 'TIMED_OUT';

export interface ApprovalState {
  /** A1, A2, …: used instead of the token, which must not be shown. */
  readonly id: string;
  readonly token: string;
  readonly prompt: string;
  readonly status: ApprovalStatus;
  /** ISO 8601. */
  readonly resolvedAt: string | null;
  /** Actions that took effect. Never more than one. */
  readonly effects: readonly ApprovalEffect[];
}

export interface ApprovalEffect {
  readonly action: ApprovalAction;
  readonly userId: string | null;
  /** `interface`: the respond endpoint. `elsewhere`: somebody in the service itself. */
  readonly through: 'interface' | 'elsewhere';
  readonly at: string;
}
