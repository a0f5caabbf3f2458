import { textArg } from '../args.ts';
import { contentErrors } from '../message-content.ts';
import { Refusal } from '../refusal.ts';
import type { WebMethod, WebMethods } from '../web-method.ts';
import {
  contentArguments,
  ignoredArguments,
  prepareMessage,
  threadArguments,
  writingErrors,
} from './chat.ts';

const mostAhead = 120 * 24 * 60 * 60;

const scheduleMessage: WebMethod = {
  scope: 'chat:write',
  required: ['channel', 'post_at'],
  optional: [...contentArguments, ...threadArguments],
  ignored: [...ignoredArguments, 'unfurl_links', 'unfurl_media'],
  errors: [
    ...contentErrors.filter((error) => !error.includes('metadata')),
    ...writingErrors,
    'invalid_time',
    'msg_too_long',
    'time_in_past',
    'time_too_far',
  ],
  run: (args, at) => {
    const limits = { mostText: 40_000, tooMuch: 'msg_too_long' };
    const { conversation, write } = prepareMessage(args, at, limits);
    const postAt = Number(textArg(args, 'post_at'));
    if (!Number.isInteger(postAt)) throw new Refusal('invalid_time');
    const seconds = at.now() / 1000;
    if (postAt <= seconds) throw new Refusal('time_in_past');
    if (postAt > seconds + mostAhead) throw new Refusal('time_too_far');
    at.later(postAt * 1000 - at.now(), () => {
      // Slack drops it if the app can no longer write there.
      if (!conversation.archived) write();
    });
    at.world.counter += 1;
    return {
      channel: conversation.id,
      scheduled_message_id: `Q0${at.world.counter.toString(36).toUpperCase()}`,
      post_at: postAt,
      message: { type: 'delayed_message', text: textArg(args, 'text') },
    };
  },
};

export const scheduledMethods: WebMethods = { 'chat.scheduleMessage': scheduleMessage };
