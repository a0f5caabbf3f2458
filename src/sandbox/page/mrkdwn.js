// @ts-check

/** Emoji the bot writes, as characters. @type {Record<string, string>} */
const emoji = {
  alarm_clock: '⏰',
  ballot_box_with_check: '☑️',
  bell: '🔔',
  grey_question: '❔',
  hourglass: '⌛',
  hourglass_flowing_sand: '⏳',
  information_source: 'ℹ️',
  leftwards_arrow_with_hook: '↩️',
  lock: '🔒',
  no_entry: '⛔',
  question: '❓',
  rocket: '🚀',
  stopwatch: '⏱️',
  warning: '⚠️',
  wastebasket: '🗑️',
  white_check_mark: '✅',
  x: '❌',
};

/** @typedef {{ names: Record<string, string>, timeZone: string }} Reader */

/** Code, what stands in angle brackets, emoji, line ends, and the three styles; in this order. */
const marks =
  /```([\s\S]+?)```|`([^`\n]+)`|<([^<>\n]+)>|:([a-z0-9_+-]+):|(\n)|(?<![\w*])\*([^\s*](?:[^*\n]*[^\s*])?)\*(?![\w*])|(?<!\w)_([^\s_](?:[^_\n]*[^\s_])?)_(?!\w)|(?<![\w~])~([^\s~](?:[^~\n]*[^\s~])?)~(?![\w~])/g;

/**
 * Slack's mrkdwn as nodes. Nothing in it is taken as HTML.
 * @param {string} text
 * @param {Reader} reader
 * @returns {Node[]}
 */
export function mrkdwnNodes(text, reader) {
  const nodes = [];
  let done = 0;
  for (const match of text.matchAll(marks)) {
    nodes.push(...plainNodes(text.slice(done, match.index)), nodeOf(match, reader));
    done = match.index + match[0].length;
  }
  return [...nodes, ...plainNodes(text.slice(done))];
}

/** A text object without marks: emoji and nothing else. @param {string} text */
export function plainText(text) {
  return text.replace(/:([a-z0-9_+-]+):/g, (whole, name) => emoji[name] ?? whole);
}

/** @param {string} text @returns {Node[]} */
function plainNodes(text) {
  return text === '' ? [] : [document.createTextNode(withoutEntities(text))];
}

/** @param {string} text */
function withoutEntities(text) {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/** @param {RegExpExecArray} match @param {Reader} reader @returns {Node} */
function nodeOf([whole, block, code, angled, name, line, bold, italic, strike], reader) {
  if (block) return element('pre', [withoutEntities(block)]);
  if (code) return element('code', [withoutEntities(code)]);
  if (angled) return angledNode(angled, reader);
  if (name) return document.createTextNode(emoji[name] ?? whole);
  if (line) return document.createElement('br');
  if (bold) return element('strong', mrkdwnNodes(bold, reader));
  if (italic) return element('em', mrkdwnNodes(italic, reader));
  return element('s', mrkdwnNodes(strike ?? '', reader));
}

/** @param {string} text @param {Reader} reader */
function angledNode(text, { names, timeZone }) {
  const [target = '', label] = text.split('|', 2);
  if (target.startsWith('!date^')) return dateNode(target, label ?? '', timeZone);
  if (target.startsWith('!')) {
    const group = target.startsWith('!subteam^') ? target.slice('!subteam^'.length) : '';
    return mention(`@${names[group] ?? label ?? target.slice(1)}`);
  }
  if (target.startsWith('@')) return mention(`@${names[target.slice(1)] ?? target.slice(1)}`);
  if (target.startsWith('#')) return mention(`#${names[target.slice(1)] ?? label ?? target}`);
  const link = element('a', [withoutEntities(label ?? target)]);
  if (/^(https?|mailto):/.test(target)) link.setAttribute('href', withoutEntities(target));
  link.setAttribute('rel', 'noreferrer');
  return link;
}

/** `!date^seconds^words with {tokens}^link` in the reader's time zone. @param {string} target @param {string} fallback @param {string} timeZone */
function dateNode(target, fallback, timeZone) {
  const [, seconds, form = ''] = target.split('^');
  const date = new Date(Number(seconds) * 1000);
  if (Number.isNaN(date.getTime())) return document.createTextNode(withoutEntities(fallback));
  const text = form.replace(
    /\{(\w+)\}/g,
    (whole, token) => dateText(date, token, timeZone) ?? whole,
  );
  const node = element('time', [withoutEntities(text)]);
  node.setAttribute('datetime', date.toISOString());
  return node;
}

/** @type {Record<string, Intl.DateTimeFormatOptions>} */
const dateForms = {
  date_num: { year: 'numeric', month: '2-digit', day: '2-digit' },
  date: { year: 'numeric', month: 'long', day: 'numeric' },
  date_short: { year: 'numeric', month: 'short', day: 'numeric' },
  date_long: { year: 'numeric', month: 'long', day: 'numeric', weekday: 'long' },
  time: { hour: '2-digit', minute: '2-digit' },
  time_secs: { hour: '2-digit', minute: '2-digit', second: '2-digit' },
};

/** @param {Date} date @param {string} token @param {string} timeZone */
function dateText(date, token, timeZone) {
  const form = dateForms[token.replace(/_pretty$/, '')];
  if (!form) return undefined;
  /** @param {Date} day */
  const dayOf = (day) => day.toLocaleDateString('en-CA', { timeZone });
  if (token.endsWith('_pretty')) {
    for (const [word, days] of /** @type {const} */ ([
      ['today', 0],
      ['yesterday', -1],
      ['tomorrow', 1],
    ])) {
      if (dayOf(date) === dayOf(new Date(Date.now() + days * 86_400_000))) return word;
    }
  }
  return date.toLocaleString('en-GB', { ...form, timeZone });
}

/** @param {string} text */
function mention(text) {
  const node = element('span', [text]);
  node.className = 'mention';
  return node;
}

/** @param {string} name @param {(Node | string)[]} children */
function element(name, children) {
  const node = document.createElement(name);
  node.append(...children);
  return node;
}
