import { errors } from 'undici';

const CODES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection_refused',
  ENOTFOUND: 'unknown_host',
  EAI_AGAIN: 'unknown_host',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  UND_ERR_CONNECT_TIMEOUT: 'connect_timeout',
  ETIMEDOUT: 'connect_timeout',
  ECONNRESET: 'connection_lost',
  EPIPE: 'connection_lost',
  UND_ERR_SOCKET: 'connection_lost',
  UND_ERR_CLOSED: 'closed',
  UND_ERR_DESTROYED: 'closed',
  UND_ERR_HEADERS_OVERFLOW: 'bad_response',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'bad_response',
};
const TLS = /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|EPROTO$)/;

/** One of our words for what a connection's error says: `connection_refused`, `tls_failed`… */
export function connectionCode(error: Error): string {
  if (error instanceof errors.HTTPParserError) return 'bad_response';
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (TLS.test(code)) return 'tls_failed';
  return CODES[code] ?? 'connection_failed';
}
