/** The JSON value of a body in UTF-8, undefined when it is absent or not JSON. What `Content-Type` says is not looked at. */
export function parseJson(body: Buffer | null): unknown {
  if (body === null) return undefined;
  try {
    return JSON.parse(new TextDecoder().decode(body));
  } catch {
    return undefined;
  }
}
