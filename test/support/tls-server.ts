import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';

/** Only for these tests: nobody trusts it. */
export const KEY = `-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIJKMNuZMQYKZVVpoNhRh6NL7xcO1LY+zJrhWRilYwmSqoAoGCCqGSM49
AwEHoUQDQgAE1WCqulPLNsWUGIkL1xdvf7BCn208Fiv/TyukD+K4zLGHTbLvjI7m
OKbZsprAc2rod7GzgOtYnM5t3hWmQ4VUeA==
-----END EC PRIVATE KEY-----
`;

/** All for this key, self-signed. */
export const CERTIFICATES = {
  /** localhost, valid on one day of 2020 */
  expired: `-----BEGIN CERTIFICATE-----
MIIBWzCCAQKgAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
c3QwHhcNMjAwMTAxMDAwMDAwWhcNMjAwMTAyMDAwMDAwWjAUMRIwEAYDVQQDDAls
b2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATVYKq6U8s2xZQYiQvX
F29/sEKfbTwWK/9PK6QP4rjMsYdNsu+MjuY4ptmymsBzauh3sbOA61iczm3eFaZD
hVR4o0UwQzAUBgNVHREEDTALgglsb2NhbGhvc3QwDAYDVR0TBAUwAwEB/zAdBgNV
HQ4EFgQUU1zu13G5f62whPzIlKWXschlI6IwCgYIKoZIzj0EAwIDRwAwRAIgAVzs
BDxJOnGsPo/2N4KyNro5eVvk9+URqgLCONULMnQCIBH7r//FX2/w26oHUwyC7Bct
izfxqAlLU3ybPb3M2qAl
-----END CERTIFICATE-----
`,
  /** localhost, valid from 2119 */
  notYetValid: `-----BEGIN CERTIFICATE-----
MIIBYTCCAQagAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
c3QwIhgPMjExOTAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowFDESMBAGA1UE
AwwJbG9jYWxob3N0MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE1WCqulPLNsWU
GIkL1xdvf7BCn208Fiv/TyukD+K4zLGHTbLvjI7mOKbZsprAc2rod7GzgOtYnM5t
3hWmQ4VUeKNFMEMwFAYDVR0RBA0wC4IJbG9jYWxob3N0MAwGA1UdEwQFMAMBAf8w
HQYDVR0OBBYEFFNc7tdxuX+tsIT8yJSll7HIZSOiMAoGCCqGSM49BAMCA0kAMEYC
IQDqMacvNCOovqPtM5VDMA1YBl2n8eOrF6MIpGnTVWiJTgIhANy0SrOoJqmjoE6X
yy8mJ1sRYxxamyCSMCz5vBnqeYC2
-----END CERTIFICATE-----
`,
  /** elsewhere.invalid */
  ofAnotherHost: `-----BEGIN CERTIFICATE-----
MIIBdzCCARygAwIBAgIBATAKBggqhkjOPQQDAjAcMRowGAYDVQQDDBFlbHNld2hl
cmUuaW52YWxpZDAgFw0yMDAxMDEwMDAwMDBaGA8yMTIwMDEwMTAwMDAwMFowHDEa
MBgGA1UEAwwRZWxzZXdoZXJlLmludmFsaWQwWTATBgcqhkjOPQIBBggqhkjOPQMB
BwNCAATVYKq6U8s2xZQYiQvXF29/sEKfbTwWK/9PK6QP4rjMsYdNsu+MjuY4ptmy
msBzauh3sbOA61iczm3eFaZDhVR4o00wSzAcBgNVHREEFTATghFlbHNld2hlcmUu
aW52YWxpZDAMBgNVHRMEBTADAQH/MB0GA1UdDgQWBBRTXO7Xcbl/rbCE/MiUpZex
yGUjojAKBggqhkjOPQQDAgNJADBGAiEAtt+9K70ZgDnSP2kmqxoJVe6D/yGh690h
l/ogUoyDTJUCIQCTmCk3kZXLMdQG7BA071k/44HJil8kR5OH4sHAj20wHw==
-----END CERTIFICATE-----
`,
  /** localhost, valid until 2120 */
  valid: `-----BEGIN CERTIFICATE-----
MIIBXTCCAQSgAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
CWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABNVgqrpTyzbFlBiJ
C9cXb3+wQp9tPBYr/08rpA/iuMyxh02y74yO5jim2bKawHNq6Hexs4DrWJzObd4V
pkOFVHijRTBDMBQGA1UdEQQNMAuCCWxvY2FsaG9zdDAMBgNVHRMEBTADAQH/MB0G
A1UdDgQWBBRTXO7Xcbl/rbCE/MiUpZexyGUjojAKBggqhkjOPQQDAgNHADBEAiAe
fVbL8JLAg94SHRU4AScfyoXQ0hBBt5nZbYun8jKwtAIgNRKgvNXogL2PT9GL3fWC
2Z5T4kKOf3Li5S5ewstMeD4=
-----END CERTIFICATE-----
`,
} as const;

/** A server that shows a certificate, and answers `{}` to clients that accept it. */
export async function startTlsServer(
  certificate: keyof typeof CERTIFICATES,
): Promise<AsyncDisposable & { readonly origin: string }> {
  const cert = CERTIFICATES[certificate];
  const server = createServer({ key: KEY, cert }, (_, response) => response.end('{}'));
  server.on('tlsClientError', () => {});
  server.listen(0, 'localhost');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // a TCP server that listens has a port
  return {
    origin: `https://localhost:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
