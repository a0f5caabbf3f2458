/** Block Kit objects within all limits, which tests change. */

export type Json = Readonly<Record<string, unknown>>;

export const a = (count: number) => 'a'.repeat(count);
export const many = <Item>(count: number, item: Item) => Array.from({ length: count }, () => item);
export const plain = (text: string) => ({ type: 'plain_text', text });
export const mrkdwn = (text: string) => ({ type: 'mrkdwn', text });
export const section = (text: string, more: Json = {}) => ({
  type: 'section',
  text: mrkdwn(text),
  ...more,
});
export const actions = (...elements: Json[]) => ({ type: 'actions', elements });
export const beside = (accessory: Json) => section('a', { accessory });
export const input = (element: Json, more: Json = {}) => ({
  type: 'input',
  label: plain('Label'),
  element,
  ...more,
});
export const button = (more: Json = {}) => ({ type: 'button', text: plain('Go'), ...more });
export const option = (text: string, more: Json = {}) => ({
  text: plain(text),
  value: text,
  ...more,
});
export const options = (count: number) =>
  Array.from({ length: count }, (_, index) => option(`o${index}`));
export const group = (label: string, count: number) => ({
  label: plain(label),
  options: options(count),
});
export const select = (more: Json = {}) => ({
  type: 'static_select',
  options: options(1),
  ...more,
});
export const dialog = (more: Json = {}) => ({
  title: plain('Sure?'),
  text: mrkdwn('Really?'),
  confirm: plain('Yes'),
  deny: plain('No'),
  ...more,
});
export const image = (more: Json = {}) => ({
  type: 'image',
  image_url: 'https://example.com/a.png',
  alt_text: 'A gate',
  ...more,
});
export const rich = (...elements: Json[]) => ({ type: 'rich_text', elements });
export const written = (...elements: Json[]) => ({ type: 'rich_text_section', elements });
export const modal = (more: Json = {}) => ({
  type: 'modal',
  title: plain('Title'),
  submit: plain('Send'),
  blocks: [section('a')],
  ...more,
});
