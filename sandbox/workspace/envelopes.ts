import { performance } from 'node:perf_hooks';
import type { WebSocket } from 'ws';
import { isObject, parseJson } from '../exchange.ts';
import { shownFor } from './deliver.ts';
import type { Carried, Notice } from './notice.ts';

export interface Envelopes {
  /** Sends a notice over a connection, and waits for its acknowledgement. */
  readonly deliver: (socket: WebSocket | undefined, notice: Notice) => Promise<Carried>;
  /** Reads what arrived over a connection. */
  readonly take: (socket: WebSocket, text: string) => void;
}

/** What an app sends back. */
type Acknowledgement = Readonly<Record<string, unknown>>;

export function createEnvelopes(randomId: () => string, patienceMs: number): Envelopes {
  const awaited = new Map<
    string,
    { readonly socket: WebSocket; readonly come: (said: Acknowledgement) => void }
  >();
  const acknowledged = (id: string, socket: WebSocket): Promise<Acknowledgement | null> =>
    new Promise((resolve) => {
      const end = (said: Acknowledgement | null): void => {
        clearTimeout(timer);
        awaited.delete(id);
        resolve(said);
      };
      const timer = setTimeout(() => end(null), patienceMs);
      awaited.set(id, { socket, come: end });
    });
  return {
    deliver: async (socket, notice) => {
      if (!socket) return { ...deliveryOf(null, 0), timedOut: false };
      const envelope = envelopeOf(randomId(), notice);
      const startedAt = performance.now();
      socket.send(JSON.stringify(envelope));
      const said = await acknowledged(envelope.envelope_id, socket);
      const body = envelope.accepts_response_payload ? contentOf(said) : '';
      return { ...deliveryOf(said, performance.now() - startedAt), body };
    },
    take: (socket, text) => {
      const said = parseJson(text);
      if (!isObject(said)) return;
      const wait = awaited.get(String(said.envelope_id));
      // It counts only on the connection that carried the envelope.
      if (wait?.socket === socket) wait.come(said);
    },
  };
}

function envelopeOf(id: string, { kind, payload, takesAnswer = false, retry }: Notice) {
  return {
    envelope_id: id,
    type: kind,
    accepts_response_payload: takesAnswer,
    payload,
    ...((retry || kind === 'events_api') && {
      retry_attempt: retry?.attempt ?? 0,
      retry_reason: retry ? 'timeout' : '',
    }),
  };
}

/** As it would arrive over HTTP; empty if there is none. */
function contentOf(said: Acknowledgement | null): string {
  const content = said?.payload;
  return isObject(content) && Object.keys(content).length > 0 ? JSON.stringify(content) : '';
}

function deliveryOf(said: Acknowledgement | null, ackMs: number): Carried {
  const acknowledged = said !== null;
  const status = acknowledged ? 200 : 0;
  const shown = shownFor(status);
  return {
    sent: true,
    status,
    body: '',
    ackMs,
    acknowledged,
    timedOut: !acknowledged,
    noRetry: false,
    shown,
  };
}
