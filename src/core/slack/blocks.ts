import type {
  ActionsBlock,
  Button,
  Checkboxes,
  ConfirmationDialog,
  ContextBlock,
  DividerBlock,
  HeaderBlock,
  Overflow,
  PlainTextElement,
  SectionBlock,
  StaticSelect,
} from '@slack/types';
import { literal, mrkdwn, plain } from './text.ts';

/** Plain text, up to 150 characters. */
export function header(text: string): HeaderBlock {
  return { type: 'header', text: plain(text) };
}

/** Other people's text as a title, shown verbatim; up to 150 characters. */
export function titleHeader(text: string): HeaderBlock {
  return { type: 'header', text: literal(text) };
}

/** Markup, up to 3000 characters. */
export function section(text: string): SectionBlock {
  return { type: 'section', text: mrkdwn(text) };
}

/** Up to 10 short texts in two columns, markup, each up to 2000 characters. */
export function fields(texts: readonly string[]): SectionBlock {
  return { type: 'section', fields: texts.map(mrkdwn) };
}

export function divider(): DividerBlock {
  return { type: 'divider' };
}

/** Small print: up to 10 texts, markup or plain. */
export function context(...texts: readonly (string | PlainTextElement)[]): ContextBlock {
  return {
    type: 'context',
    elements: texts.map((text) => (typeof text === 'string' ? mrkdwn(text) : text)),
  };
}

export function actions(
  blockId: string,
  elements: readonly (Button | Checkboxes | Overflow | StaticSelect)[],
): ActionsBlock {
  return { type: 'actions', block_id: blockId, elements: [...elements] };
}

export interface ButtonOptions {
  /** Read by screen readers instead of the label; up to 75 characters. */
  readonly accessibility_label?: string;
  readonly style?: 'primary' | 'danger';
  readonly confirm?: ConfirmationDialog;
}

/** A button. `value` comes back with the click and is visible to everyone who sees the button. */
export function button(
  actionId: string,
  label: string,
  value: string,
  options: ButtonOptions = {},
): Button {
  return { type: 'button', action_id: actionId, text: plain(label), value, ...options };
}

/**
 * A button that opens `url`, up to 3000 characters. Slack also sends the press, which has to be acknowledged, or the
 * person reads that the app did not respond.
 */
export function linkButton(
  actionId: string,
  label: string,
  url: string,
  options: ButtonOptions = {},
): Button {
  return { type: 'button', action_id: actionId, text: plain(label), url, ...options };
}

/**
 * The "⋯" menu of a row of actions: up to 5 options. The chosen `value`, up to 75 characters, comes back and is visible
 * to everyone who sees the menu.
 */
export function overflowMenu(
  actionId: string,
  options: readonly (readonly [text: string, value: string])[],
): Overflow {
  return {
    type: 'overflow',
    action_id: actionId,
    options: options.map(([text, value]) => ({ text: plain(text), value })),
  };
}

/** "Are you sure?" before a button acts. `text` is shown verbatim. */
export function confirm(
  title: string,
  text: string,
  yes: string,
  no: string,
  style?: 'primary' | 'danger',
): ConfirmationDialog {
  return {
    title: plain(title),
    text: literal(text),
    confirm: plain(yes),
    deny: plain(no),
    ...(style && { style }),
  };
}
