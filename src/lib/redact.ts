const MASK = '[token]';

/**
 * Replaces every occurrence of each secret by `[token]`, also where it stands URL-encoded, escaped
 * for JSON or escaped for HTML. Empty secrets are ignored.
 */
export function redact(text: string, secrets: readonly string[]): string {
  return redactor(secrets)(text);
}

/** `redact` for many texts. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const forms = [...new Set(secrets.filter((secret) => secret !== '').flatMap(formsOf))];
  return (text) => {
    if (!forms.some((form) => text.includes(form))) return text;
    // Longest first, in one pass: a form that begins another must not leave the other's end behind.
    const pattern = forms.toSorted((a, b) => b.length - a.length).map(literally);
    return text.replace(new RegExp(pattern.join('|'), 'g'), MASK);
  };
}

/** No encoding changes these characters. */
const SAME_EVERYWHERE = /^[\w.~-]+$/;

function formsOf(secret: string): string[] {
  if (SAME_EVERYWHERE.test(secret)) return [secret];
  const url = encodeURIComponent(secret.replace(/\p{Cs}/gu, '\ufffd'));
  const json = JSON.stringify(secret).slice(1, -1);
  return [
    secret,
    url,
    url.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()),
    url.replaceAll('%20', '+'),
    json,
    json.replaceAll('/', '\\/'),
    secret.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  ];
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}
