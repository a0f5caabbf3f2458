import { expect } from 'vitest';
import type { Entered } from '../../sandbox/workspace/user-actions.ts';
import type { Config } from '../../src/core/config/config.ts';
import { DEPLOYS, readable, type World, type WorldOptions } from '../support/world.ts';
import { modalText } from './move-stage.ts';
import { type Stage, startStage } from './stage.ts';

export const DANA = 'U0DANA';

export interface AccountsOptions {
  readonly administrators?: Partial<Config['administrators']>;
  readonly env?: WorldOptions['env'];
  readonly clock?: WorldOptions['clock'];
  readonly hasDoor?: boolean;
  readonly config?: (config: Config) => Config;
}

/** A stage on which Dana is the administrator. */
export interface AccountsStage extends Stage, ReturnType<typeof administering> {}

export async function startAccountsStage(options: AccountsOptions = {}): Promise<AccountsStage> {
  const stage = await startStage({
    env: options.env ?? {},
    hasDoor: options.hasDoor ?? false,
    ...(options.clock && { clock: options.clock }),
    config(given) {
      const administrators = { users: [DANA], groups: [], ...options.administrators };
      const config = { ...given, administrators };
      return options.config?.(config) ?? config;
    },
  });
  return { ...stage, ...administering(stage) };
}

interface PressOptions {
  readonly confirm?: boolean;
  readonly twice?: 'delivered' | 'pressed';
}

/** How a story manages accounts. */
export function administering({ sandbox }: Pick<World, 'sandbox'>) {
  const { workspace, service } = sandbox;
  const read = (user: string) => modalText(workspace.modal(user));
  const type = async (words: string, user = DANA) => {
    const text = `/people ${words}`.trim();
    const typed = await workspace.command({ user, channel: DEPLOYS, text });
    expect(typed).toMatchObject({ acknowledged: true, shown: null });
  };
  const modalOf = async (pattern: RegExp, user = DANA) => {
    await sandbox.until(() => pattern.test(read(user)), { what: `${pattern} in the modal` });
    return read(user);
  };
  const open = async (row: number, user = DANA) => {
    const actionId = `people.row.${row} people.open`;
    const pressed = await workspace.click({ user, surface: 'modal', actionId });
    expect(pressed).toMatchObject({ acknowledged: true });
  };
  const see = async (words: string, user = DANA): Promise<string> => {
    // The form did not open, or Slack did not confirm it: both sentences end like this.
    const untold = () =>
      [...workspace.ephemerals(user), ...workspace.directMessages(user)].filter(({ text }) =>
        /try again\.$/i.test(text),
      );
    for (let tries = 1; tries <= 5; tries += 1) {
      const [before, said] = [workspace.modal(user)?.id, untold().length];
      await type(words, user);
      const isShown = () => {
        const view = workspace.modal(user);
        return view !== undefined && view.id !== before && modalText(view) !== 'Loading…';
      };
      await sandbox.until(() => isShown() || untold().length > said, { what: 'the modal' });
      if (isShown()) return read(user);
    }
    throw new Error('the modal did not open');
  };
  return {
    type,
    /** Types it again if a slow machine let the trigger expire: the person is told to try again. */
    see,
    /** Waits until the modal matches. */
    modalOf,
    /** Presses the button in an account's row. */
    open,
    /** Opens the card of the only account found. */
    async card(text: string, user = DANA): Promise<string> {
      // On a busy machine the accounts may not be read in time: the form then offers to try again.
      const isUnread = () => JSON.stringify(workspace.modal(user)).includes('"Try again"');
      await see(`find ${text}`, user);
      for (let tries = 1; tries < 5 && isUnread(); tries += 1) await see(`find ${text}`, user);
      await open(1, user);
      return modalOf(/\*External id\*/, user);
    },
    async press(label: string, user = DANA, more: PressOptions = {}): Promise<void> {
      const pressed = await workspace.click({ user, surface: 'modal', label, ...more });
      expect(pressed).toMatchObject({ acknowledged: more.confirm !== false });
    },
    async submit(values: Readonly<Record<string, Entered>> = {}, user = DANA): Promise<string> {
      const submitted = await workspace.submit({ user, values });
      expect(submitted).toMatchObject({ acknowledged: true, shown: null });
      return read(user);
    },
    account: (userName: string) => service.users().find((user) => user.userName === userName),
    /** Bodies sent to the service, in order. */
    sent: (operation: 'createUser' | 'patchUser') =>
      service.requests(operation).map(({ body }) => body),
    directs: (user = DANA) => workspace.directMessages(user).map(readable),
  };
}
