import type { RichTextElement } from '@slack/types';
import type { Inline } from './parse-mrkdwn.ts';

/** A piece of rich text as mrkdwn would have it. */
export function inlineOfRich(element: RichTextElement): Inline {
  const { bold, italic, strike, code } = element.style ?? {};
  if (code && 'text' in element) return { kind: 'code', text: element.text ?? '' };
  let inline = plainInline(element);
  if (bold) inline = { kind: 'bold', inside: [inline] };
  if (italic) inline = { kind: 'italic', inside: [inline] };
  if (strike) inline = { kind: 'strike', inside: [inline] };
  return inline;
}

function plainInline(element: RichTextElement): Inline {
  switch (element.type) {
    case 'text':
      return { kind: 'text', text: element.text };
    case 'link':
      return { kind: 'link', href: element.url, label: element.text ?? element.url };
    case 'user':
      return { kind: 'user', id: element.user_id, label: '' };
    case 'usergroup':
      return { kind: 'group', id: element.usergroup_id, label: '' };
    case 'channel':
      return { kind: 'channel', id: element.channel_id, label: '' };
    case 'broadcast':
      return { kind: 'broadcast', name: element.range };
    case 'emoji':
      return { kind: 'emoji', name: element.name };
    case 'color':
      return { kind: 'code', text: element.value };
    case 'team':
      return { kind: 'text', text: element.team_id };
    case 'date': {
      const { timestamp: seconds, format: form, url: href = '', fallback = '' } = element;
      return { kind: 'date', seconds, form, href, fallback };
    }
  }
}
