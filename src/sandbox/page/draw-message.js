// @ts-check
import { make, oneAtATime } from './make.js';
import { mrkdwnNodes, plainText } from './mrkdwn.js';

/**
 * @typedef {import('./mrkdwn.js').Reader} Reader
 * @typedef {{ type: string, text?: any, fields?: any[], elements?: any[], accessory?: any, [name: string]: any }} Block
 * @typedef {{ ts: string, text: string, blocks?: Block[], thread_ts?: string, author: string, isApp: boolean, edited: boolean, onlyYou: boolean }} Message
 */

/**
 * One message with its working buttons.
 * @param {Message} message
 * @param {Reader} reader
 * @param {(button: Block) => Promise<string | null>} press gives what Slack tells the person, or null
 */
export function drawMessage(message, reader, press) {
  const article = make('article', classOf(message));
  article.tabIndex = -1;
  const trouble = make('p', 'trouble');
  trouble.setAttribute('role', 'alert');
  const act = async (/** @type {Block} */ element) => {
    trouble.textContent = '';
    trouble.textContent = await press(element);
    if (trouble.textContent) trouble.scrollIntoView({ block: 'nearest' });
  };
  const body = make('div', 'body');
  body.append(heading(message, reader));
  if (message.blocks) body.append(...message.blocks.map((block) => drawBlock(block, reader, act)));
  else body.append(paragraph(mrkdwnNodes(message.text, reader)));
  body.append(trouble);
  article.append(avatar(message), body);
  return article;
}

/** @param {Message} message */
function classOf({ onlyYou, thread_ts, ts }) {
  const isReply = thread_ts !== undefined && thread_ts !== ts;
  return [onlyYou && 'only-you', isReply && 'reply'].filter(Boolean).join(' ');
}

/** @param {Message} message */
function avatar({ author, isApp }) {
  const node = make('span', isApp ? 'avatar app' : 'avatar', author.slice(0, 1));
  node.setAttribute('aria-hidden', 'true');
  return node;
}

/** @param {Message} message @param {Reader} reader */
function heading(message, { timeZone }) {
  const line = make('p', 'from');
  line.append(make('strong', '', message.author));
  if (message.isApp) line.append(make('span', 'badge', 'App'));
  const at = new Date(Number(message.ts) * 1000);
  const time = make('time', '', at.toLocaleTimeString('en-GB', { timeZone, timeStyle: 'short' }));
  time.setAttribute('datetime', at.toISOString());
  line.append(time);
  if (message.onlyYou) line.append(make('span', '', 'Only visible to you'));
  else if (message.edited) line.append(make('span', '', 'edited'));
  return line;
}

/** @param {Block} block @param {Reader} reader @param {(element: Block) => Promise<void>} act */
function drawBlock(block, reader, act) {
  switch (block.type) {
    case 'header':
      return make('h3', '', plainText(block.text.text));
    case 'divider':
      return make('hr', '');
    case 'section':
      return drawSection(block, reader, act);
    case 'context':
      return drawRow('context', block.elements ?? [], (element) => drawText(element, reader));
    case 'actions':
      return drawRow('actions', block.elements ?? [], (element) => drawButton(element, act));
    default:
      return make('p', 'quiet', `(${block.type})`);
  }
}

/** @param {Block} block @param {Reader} reader @param {(element: Block) => Promise<void>} act */
function drawSection(block, reader, act) {
  const section = make('div', 'section');
  if (block.text) section.append(drawText(block.text, reader));
  if (block.fields) {
    section.append(drawRow('fields', block.fields, (field) => drawText(field, reader)));
  }
  if (block.accessory?.type === 'button') section.append(drawButton(block.accessory, act));
  return section;
}

/** @param {string} name @param {any[]} elements @param {(element: any) => Node} draw */
function drawRow(name, elements, draw) {
  const row = make('div', name);
  row.append(...elements.map(draw));
  return row;
}

/** @param {{ type: string, text: string }} text @param {Reader} reader */
function drawText(text, reader) {
  if (text.type === 'mrkdwn') return paragraph(mrkdwnNodes(text.text, reader));
  return paragraph([plainText(text.text)]);
}

/** @param {Block} element @param {(element: Block) => Promise<void>} act */
function drawButton(element, act) {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = element.style ?? '';
  button.dataset.key = element.action_id;
  button.textContent = plainText(element.text?.text ?? element.type);
  const actOnce = oneAtATime(button, () => act(element));
  button.addEventListener('click', () => {
    if (confirmed(element.confirm)) void actOnce();
  });
  return button;
}

/** @param {any} dialog */
function confirmed(dialog) {
  return !dialog || window.confirm(`${dialog.title.text}\n\n${dialog.text.text}`);
}

/** @param {(Node | string)[]} children */
function paragraph(children) {
  const node = make('p', '');
  node.append(...children);
  return node;
}
