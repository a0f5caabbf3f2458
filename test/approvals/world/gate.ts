import { RemoteFailure } from '../../../src/core/lib/failure.ts';

export type GateStatus = 'PENDING' | 'APPROVED' | 'REJECTED' | 'TIMED_OUT';

/** The gate at the service: one decision has an effect, and no other. */
export class Gate {
  status: GateStatus = 'PENDING';
  /** Service user id of the accepted decision; null: decided elsewhere, or not yet. */
  takenFrom: string | null = null;
  /** It answered as if it accepted the decision, although it had been decided already. */
  isMisleading = false;
  /** The service's response to a used token. */
  readonly used: 'status' | 404 | 409 | 410;

  constructor(used: Gate['used']) {
    this.used = used;
  }

  read(resolvedAt: string) {
    if (this.status !== 'PENDING' && this.used !== 'status' && this.used !== 409) {
      throw refusal(this.used);
    }
    const isOpen = this.status === 'PENDING';
    return {
      status: this.status,
      raw: null,
      prompt: isOpen ? 'Deploy 4.2?' : null,
      resolvedAt: isOpen ? null : resolvedAt,
    };
  }

  respond(action: 'approve' | 'reject', userId: string | null, resolvedAt: string) {
    if (this.status !== 'PENDING') {
      if (this.used !== 'status') throw refusal(this.used);
      this.isMisleading = true;
    } else {
      this.status = action === 'approve' ? 'APPROVED' : 'REJECTED';
      this.takenFrom = userId;
    }
    return { status: this.status, resolvedAt };
  }

  decideElsewhere(status: Exclude<GateStatus, 'PENDING'>): void {
    if (this.status === 'PENDING') this.status = status;
  }
}

function refusal(status: number): RemoteFailure {
  return new RemoteFailure('gate', { class: 'refused', code: `http_${status}`, status });
}
