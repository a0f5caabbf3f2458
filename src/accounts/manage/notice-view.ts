import type { ModalView } from '@slack/types';
import { actions, button, section } from '../../slack/blocks.ts';
import { modal } from '../../slack/modal-blocks.ts';
import { ACTIONS, FORMS, TITLE } from './actions.ts';
import { type Browse, writeBrowse } from './browse.ts';

/** A sentence, and perhaps something to press. */
export function noticeView(text: string, more: ModalView['blocks'] = []): ModalView {
  const blocks = [section(text), ...more];
  return modal({ callbackId: FORMS.notice, title: TITLE, close: 'Close', blocks });
}

export const LOADING = noticeView('Loading…');

/** A sentence, and the way to the list. */
export function troubleView(text: string, browse: Browse, label = 'Try again'): ModalView {
  return noticeView(text, [actions('people.go-on', [listButton(label, browse)])]);
}

export function listButton(label: string, browse: Browse) {
  return button(ACTIONS.page, label, writeBrowse(browse));
}
