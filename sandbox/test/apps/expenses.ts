import { App, type AppOptions, type BlockButtonAction } from '@slack/bolt';
import type { ModalView } from '@slack/types';

const plain = (text: string) => ({ type: 'plain_text', text }) as const;
const button = (action_id: string, text: string, value = '') =>
  ({ type: 'button', action_id, text: plain(text), ...(value && { value }) }) as const;

/** A workflow: an ephemeral message, a modal pushed onto another, a message that is decided and updated. */
export function expenses(options: AppOptions): App {
  const app = new App(options);

  app.command('/expense', async ({ command, ack, client }) => {
    await ack();
    await client.chat.postEphemeral({
      channel: command.channel_id,
      user: command.user_id,
      text: 'New expense',
      blocks: [
        {
          type: 'actions',
          elements: [button('expense.new', 'Fill in'), button('expense.not', 'Cancel')],
        },
      ],
    });
  });

  app.action('expense.not', async ({ ack, respond }) => {
    await ack();
    await respond({ delete_original: true });
  });

  app.action<BlockButtonAction>('expense.new', async ({ ack, body, client, respond }) => {
    await ack();
    const channel = body.channel?.id ?? '';
    await client.views.open({ trigger_id: body.trigger_id, view: form(channel) });
    await respond({ replace_original: true, text: 'Filling in an expense …' });
  });

  app.action<BlockButtonAction>('expense.category', async ({ ack, body, client }) => {
    await ack();
    await client.views.push({
      trigger_id: body.trigger_id,
      view: {
        type: 'modal',
        callback_id: 'expense.category',
        private_metadata: body.view?.id ?? '',
        title: plain('Category'),
        submit: plain('Choose'),
        blocks: [
          {
            type: 'input',
            block_id: 'category',
            label: plain('Category'),
            element: {
              type: 'static_select',
              action_id: 'value',
              options: ['Travel', 'Food'].map((each) => ({ text: plain(each), value: each })),
            },
          },
        ],
      },
    });
  });

  app.view('expense.category', async ({ ack, view, client }) => {
    await ack();
    const chosen = view.state.values.category?.value?.selected_option?.value ?? '';
    const view_id = view.root_view_id ?? '';
    await client.views.update({ view_id, view: form('C0DEPLOYS', chosen) });
  });

  app.view('expense.form', async ({ ack, view, body, client }) => {
    await ack({ response_action: 'clear' });
    const amount = view.state.values.amount?.value?.value;
    const { channel, category } = JSON.parse(view.private_metadata);
    const text = `<@${body.user.id}> spent ${amount} on ${category}`;
    await client.chat.postMessage({
      channel,
      text,
      blocks: [
        { type: 'section', text: { type: 'mrkdwn', text } },
        { type: 'actions', elements: [button('expense.pay', 'Pay', text)] },
      ],
    });
  });

  app.action<BlockButtonAction>('expense.pay', async ({ ack, body, action, client, respond }) => {
    await ack();
    const [channel, ts] = [body.channel?.id ?? '', body.message?.ts ?? ''];
    const text = `${action.value} – paid by <@${body.user.id}>`;
    await client.chat.update({ channel, ts, text });
    await respond({ response_type: 'in_channel', replace_original: false, text: 'Paid.' });
    await client.chat.postEphemeral({ channel, user: body.user.id, text: 'Thank you.' });
  });

  return app;
}

function form(channel: string, category = ''): ModalView {
  return {
    type: 'modal',
    callback_id: 'expense.form',
    private_metadata: JSON.stringify({ channel, category }),
    title: plain('Expense'),
    submit: plain('Send'),
    blocks: [
      {
        type: 'input',
        block_id: 'amount',
        label: plain('Amount'),
        element: { type: 'number_input', action_id: 'value', is_decimal_allowed: true },
      },
      {
        type: 'section',
        block_id: 'category',
        text: { type: 'mrkdwn', text: `Category: ${category || 'none'}` },
        accessory: button('expense.category', 'Choose'),
      },
    ],
  };
}
