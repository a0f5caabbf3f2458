import { describe, expect, it } from 'vitest';
import { manifest, startAppWorld } from '../app-world.ts';
import { type Answer, callSlack, liveWorkspace } from './live-workspace.ts';
import { proveMethods } from './prove-methods.ts';

const live = liveWorkspace();
const { call, trigger } = live;
const user = 'U0ANA';
const plain = (text: string) => ({ type: 'plain_text', text });
const button = { type: 'button', action_id: 'go', text: plain('Go') };
const blocks = [{ type: 'actions', elements: [button] }];
const modal = { type: 'modal', title: plain('Reason'), blocks };
const home = { type: 'home', blocks };
const named = { ...modal, external_id: 'mine' };
/** Within every single limit, but more than 250 KB in total. */
const big = {
  ...modal,
  blocks: Array.from({ length: 100 }, () => ({
    type: 'section',
    text: plain('a'.repeat(2_600)),
  })),
};

const viewOf = ({ view }: Answer) => view as { id: string; hash: string };
const open = async (view: object = modal) =>
  call('views.open', { trigger_id: await trigger(), view });
const opened = async (view: object = modal) => viewOf(await open(view));

/** A trigger of the top modal. */
async function triggerIn(surface: 'modal' | 'home' = 'modal'): Promise<string> {
  await live.sandbox.workspace.click({ user, surface, label: 'Go' });
  return String(live.world.payloads('block_actions').at(-1)?.trigger_id);
}
const push = async (view: object = modal) =>
  call('views.push', { trigger_id: await triggerIn(), view });

/** Errors of every method that uses a trigger. */
const triggerErrors = (method: string) => {
  const show = (trigger_id: string, view: object = modal) => call(method, { trigger_id, view });
  return {
    invalid_trigger_id: () => show('1.2'),
    expired_trigger_id: async () => {
      const id = await trigger();
      live.wait(3_000);
      return show(id);
    },
    exchanged_trigger_id: async () => {
      const id = await trigger();
      await show(id);
      return show(id);
    },
    duplicate_external_id: async () => {
      await open(named);
      return show(await triggerIn(), named);
    },
    view_too_large: async () => show(await trigger(), big),
  };
};

proveMethods(live, {
  'views.open': {
    works: async () => ({ trigger_id: await trigger(), view: modal }),
    errors: triggerErrors('views.open'),
  },
  'views.push': {
    works: async () => {
      await open();
      return { trigger_id: await triggerIn(), view: modal };
    },
    errors: {
      ...triggerErrors('views.push'),
      not_found: async () => call('views.push', { trigger_id: await trigger(), view: modal }),
      push_limit_reached: async () => {
        await open();
        expect(await push()).toMatchObject({ ok: true });
        expect(await push()).toMatchObject({ ok: true });
        return push();
      },
    },
  },
  'views.update': {
    works: async () => ({ view_id: (await opened()).id, view: modal }),
    optional: {
      view_id: async () => {
        const { id } = await opened();
        await call('views.update', { view_id: id, view: { ...modal, title: plain('New') } });
        expect(live.sandbox.workspace.modal(user)).toMatchObject({ id, title: { text: 'New' } });
      },
      external_id: async () => {
        const { id } = await opened(named);
        const view = { ...named, title: plain('New') };
        const updated = await call('views.update', { external_id: 'mine', view });
        expect(updated).toMatchObject({ view: { id, title: { text: 'New' } } });
      },
      hash: async () => {
        const { id, hash } = await opened();
        const update = () => call('views.update', { view_id: id, hash, view: modal });
        const first = await update();
        expect(first).toMatchObject({ ok: true });
        expect(viewOf(first).hash).not.toBe(hash);
        expect(await update()).toMatchObject({ error: 'hash_conflict' });
      },
    },
    errors: {
      duplicate_external_id: async () => {
        await open(named);
        return call('views.update', { view_id: (await opened()).id, view: named });
      },
      hash_conflict: async () =>
        call('views.update', { view_id: (await opened()).id, hash: 'old', view: modal }),
      not_found: () => call('views.update', { view_id: 'V0', view: modal }),
      view_too_large: async () => call('views.update', { view_id: (await opened()).id, view: big }),
    },
  },
  'views.publish': {
    works: () => ({ user_id: user, view: home }),
    optional: {
      hash: async () => {
        const { hash } = viewOf(await call('views.publish', { user_id: user, view: home }));
        const publish = () => call('views.publish', { user_id: user, view: home, hash });
        expect(await publish()).toMatchObject({ ok: true });
        expect(await publish()).toMatchObject({ error: 'hash_conflict' });
      },
    },
    errors: {
      duplicate_external_id: async () => {
        await open(named);
        return call('views.publish', { user_id: user, view: { ...home, external_id: 'mine' } });
      },
      hash_conflict: async () => {
        await call('views.publish', { user_id: user, view: home });
        return call('views.publish', { user_id: user, view: home, hash: 'old' });
      },
      not_enabled: async () => {
        const without = manifest.replace('home_tab_enabled: true', 'home_tab_enabled: false');
        await using other = await startAppWorld({ manifest: without });
        expect(() => other.sandbox.workspace.openHome(user)).toThrow('no home tab');
        return await callSlack(other.sandbox, 'views.publish', { user_id: user, view: home });
      },
      view_too_large: () =>
        call('views.publish', { user_id: user, view: { ...big, type: 'home', title: undefined } }),
    },
  },
});

describe('views', () => {
  it('that are invalid return their problems', async () => {
    const view = { ...modal, title: plain('a'.repeat(25)) };
    const problem = 'must be less than 25 characters [json-pointer:/view/title/text]';
    expect(await open(view)).toMatchObject({
      error: 'invalid_arguments',
      errors: [problem],
      response_metadata: { messages: [`[ERROR] ${problem}`] },
    });
    const other = { errors: ['must be a valid enum value [json-pointer:/view/type]'] };
    expect(await open(home)).toMatchObject(other);
    expect(await call('views.publish', { user_id: user, view: modal })).toMatchObject(other);
  });

  it('that are refused do not use up the trigger', async () => {
    const trigger_id = await trigger();
    expect(await call('views.open', { trigger_id, view: home })).toMatchObject({ ok: false });
    expect(await call('views.open', { trigger_id, view: modal })).toMatchObject({ ok: true });
  });

  it('are returned with all of Slack’s members', async () => {
    expect(await open()).toMatchObject({
      view: {
        id: expect.stringMatching(/^V/),
        team_id: 'T0ACME',
        app_id: 'A0APP',
        bot_id: 'B0APP',
        type: 'modal',
        callback_id: '',
        private_metadata: '',
        external_id: '',
        title: { type: 'plain_text', text: 'Reason', emoji: true },
        close: null,
        submit: null,
        clear_on_close: false,
        notify_on_close: false,
        previous_view_id: null,
        state: { values: {} },
        blocks: [{ type: 'actions', block_id: expect.any(String) }],
      },
    });
  });

  it('can be pushed onto each other, and closing one shows the one below', async () => {
    const { id } = await opened();
    const upper = viewOf(await push({ ...modal, title: plain('Upper') }));
    expect(live.sandbox.workspace.modal(user)).toMatchObject({
      id: upper.id,
      root_view_id: id,
      previous_view_id: id,
    });
    await live.sandbox.workspace.closeModal({ user });
    expect(live.sandbox.workspace.modal(user)).toMatchObject({ id });
  });

  it('cannot be pushed onto the Home tab', async () => {
    await call('views.publish', { user_id: user, view: home });
    const trigger_id = await triggerIn('home');
    const pushed = await call('views.push', { trigger_id, view: modal });
    expect(pushed).toMatchObject({ error: 'not_found' });
  });

  it('can be published only for existing people', async () => {
    const published = await call('views.publish', { user_id: 'U0NONE', view: home });
    expect(published).toMatchObject({ error: 'invalid_arguments', errors: ['invalid `user_id`'] });
    await call('views.publish', { user_id: user, view: home });
    expect(live.sandbox.workspace.home(user)).toMatchObject({ type: 'home' });
    expect(live.sandbox.workspace.home('U0BEN')).toBeUndefined();
  });

  it('that are closed are not found', async () => {
    const { id } = await opened();
    await live.sandbox.workspace.closeModal({ user });
    const updated = await call('views.update', { view_id: id, view: modal });
    expect(updated).toMatchObject({ error: 'not_found' });
  });
});
