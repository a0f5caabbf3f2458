// @ts-check
import { follow, post, readState, showHint } from './ask-sandbox.js';
import { approvalItems, requestItems } from './draw-approvals.js';
import { drawItems } from './draw-items.js';
import { drawMessage } from './draw-message.js';
import { hint } from './hint.js';
import { make, oneAtATime } from './make.js';

/** @typedef {import('./page-state.ts').PageState} PageState */

/** @param {string} id @returns {any} */
const byId = (id) => document.getElementById(id);

/** The address names the person, so that a reload keeps them and a second window can be somebody else. */
const chosen = { me: location.hash.slice(1) || 'U0ANA', channel: 'C0DEPLOYS' };
/** Last message looked at, by person and channel. @type {Record<string, string>} */
const seen = {};

let loading = false;
let stale = false;
async function load() {
  stale = true;
  if (loading) return;
  loading = true;
  try {
    while (stale) {
      stale = false;
      const { me } = chosen;
      const state = await readState(me);
      if (state && me === chosen.me) draw(state);
    }
  } finally {
    loading = false;
  }
}

/** @param {PageState} state */
function draw(state) {
  chosen.me = state.me.id;
  const channel = state.channels.find(({ id }) => id === chosen.channel) ?? state.channels[0];
  chosen.channel = channel.id;
  drawPeople(state);
  drawChannels(state);
  drawMessages(state, channel);
  drawItems(byId('approvals'), approvalItems(state));
  drawItems(byId('requests'), requestItems(state));
  showHint(hint(state));
}

/** @param {PageState} state */
function drawPeople({ people }) {
  const select = byId('me');
  if (select.options.length === 0) {
    for (const { id, name, note } of people) {
      select.add(new Option(note ? `${name} (${note})` : name, id));
    }
  }
  select.value = chosen.me;
}

/** @param {PageState} state */
function drawChannels({ channels, me }) {
  const items = channels.map(({ id, name, messages }) => {
    const key = `${me.id} ${id}`;
    const isOpen = id === chosen.channel;
    if (isOpen) seen[key] = messages.at(-1)?.ts ?? '';
    const fresh = messages.filter(({ ts }) => ts > (seen[key] ?? '')).length;
    return {
      key: id,
      facts: [name, isOpen, fresh],
      draw: () => channelButton(id, name, isOpen, fresh),
    };
  });
  drawItems(byId('channels'), items);
}

/** @param {string} id @param {string} name @param {boolean} isOpen @param {number} fresh */
function channelButton(id, name, isOpen, fresh) {
  const button = make('button', '', name);
  if (isOpen) button.setAttribute('aria-current', 'page');
  if (fresh > 0) {
    const badge = make('span', 'count', String(fresh));
    badge.setAttribute('aria-label', `${fresh} new`);
    button.append(badge);
  }
  button.addEventListener('click', () => {
    chosen.channel = id;
    void load();
  });
  return button;
}

/** @param {PageState} state @param {PageState['channels'][number]} channel */
function drawMessages({ names, me }, channel) {
  byId('channel-name').textContent = channel.name;
  const box = byId('messages');
  const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < 40;
  const isOther = box.dataset.channel !== channel.id;
  box.dataset.channel = channel.id;
  const reader = { names, timeZone: me.timeZone };
  const items = threaded(channel.messages).map((message) => ({
    key: message.ts,
    facts: [me.id, channel.id, message],
    draw: () => drawMessage(message, reader, (button) => press(channel.id, message.ts, button)),
  }));
  if (items.length === 0) {
    items.push({ key: 'none', facts: [me.id, channel.id], draw: () => nothing(channel.id) });
  }
  drawItems(box, items);
  if (atEnd || isOther) toEnd();
}

function toEnd() {
  const box = byId('messages');
  box.scrollTop = box.scrollHeight;
}

/** Replies stand behind their parent. @param {readonly any[]} messages */
function threaded(messages) {
  const root = (/** @type {any} */ { thread_ts, ts }) => thread_ts ?? ts;
  return [...messages].sort((a, b) => root(a) - root(b) || a.ts - b.ts);
}

/** @param {string} channel @returns {HTMLElement} */
function nothing(channel) {
  if (channel !== 'C0DEPLOYS') return make('p', 'quiet', 'Nothing here yet.');
  return byId('welcome').content.firstElementChild.cloneNode(true);
}

/** @param {string} channel @param {string} ts @param {any} button */
async function press(channel, ts, button) {
  if (button.type !== 'button') return 'The sandbox has no such control yet.';
  const body = { user: chosen.me, channel, ts, actionId: button.action_id };
  const given = await post('press', body);
  return given.shown ?? given.error ?? null;
}

async function ask() {
  chosen.channel = 'C0DEPLOYS';
  await post('ask', { title: byId('title').value });
  await load();
  byId('messages').scrollIntoView({ block: 'nearest' });
  toEnd();
}

const askOnce = oneAtATime(byId('ask').querySelector('button'), ask);
byId('ask').addEventListener('submit', (/** @type {SubmitEvent} */ event) => {
  event.preventDefault();
  void askOnce();
});
byId('me').addEventListener('change', () => location.replace(`#${byId('me').value}`));
addEventListener('hashchange', () => {
  const direct = `D${chosen.me.slice(1)}`;
  chosen.me = location.hash.slice(1);
  if (chosen.channel === direct) chosen.channel = `D${chosen.me.slice(1)}`;
  void load();
});
follow(load);
