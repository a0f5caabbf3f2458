import { describe, expect, it } from 'vitest';
import { webMethods } from '../../../workspace/web-api.ts';
import { startAppWorld } from '../app-world.ts';
import { type Answer, callSlack, type Given, type LiveWorkspace } from './live-workspace.ts';

/** How a method is proved. */
export interface Proof {
  /** Arguments of a call that succeeds. */
  readonly works: () => Given | Promise<Given>;
  /** By optional argument: a test of its effect. */
  readonly optional?: Readonly<Record<string, () => Promise<void>>>;
  /** By error: a call that returns it. */
  readonly errors?: Readonly<Record<string, () => Promise<Answer>>>;
}

/**
 * Proves methods with the real client: everything a method lists is proved, and nothing is proved that it does not
 * list.
 */
export function proveMethods(live: LiveWorkspace, proofs: Readonly<Record<string, Proof>>): void {
  for (const [name, proof] of Object.entries(proofs)) {
    describe(name, () => {
      const method = webMethods[name];
      if (!method) throw new Error(`The workspace has no ${name}.`);
      const { required = [], optional = [], ignored = [], errors = [], scope, isTest } = method;
      const kind = method.token;
      const token = () => (kind === 'app' ? live.sandbox.credentials.appToken : undefined);
      const call = (given: Given) => live.call(name, given, token());

      it('works', async () => {
        expect(await call(await proof.works())).toMatchObject({ ok: true });
      });

      it('proves everything that it lists', () => {
        expect(Object.keys(proof.optional ?? {}).sort()).toEqual([...optional].sort());
        expect(Object.keys(proof.errors ?? {}).sort()).toEqual([...errors].sort());
      });

      it.each(isTest ? [] : ['valid'])('needs a %s token', async () => {
        const bare = await fetch(live.sandbox.slackApiUrl + name, { method: 'POST' });
        expect([bare.status, await bare.json()]).toEqual([200, { ok: false, error: 'not_authed' }]);
        expect(await live.call(name, {}, 'xoxb-other')).toMatchObject({ error: 'invalid_auth' });
        const { appToken, botToken } = live.sandbox.credentials;
        const wrong = kind === 'app' ? botToken : appToken;
        const refused = await live.call(name, {}, wrong);
        expect(refused).toMatchObject({ error: 'not_allowed_token_type' });
      });

      it.each(isTest ? [] : ['charm'])('refuses the unknown argument %s', async () => {
        expect(await call({ ...(await proof.works()), charm: 'yes' })).toMatchObject({
          error: 'invalid_arguments',
          errors: ['the sandbox does not imitate the argument: charm'],
        });
      });

      it.each([...ignored])(
        'takes %s, and its log says that it has no effect',
        async (argument) => {
          const notesOf = async (value: unknown) => {
            const given = { ...(await proof.works()), [argument]: value };
            expect(await call(given)).toMatchObject({ ok: true });
            return live.sandbox.workspace.calls(name).at(-1)?.notes;
          };
          const isOn = argument !== 'mrkdwn';
          expect(await notesOf(isOn)).toEqual([`${argument} has no effect here`]);
          // As it is without the argument.
          expect(await notesOf(argument === 'parse' ? 'none' : !isOn)).toEqual([]);
        },
      );

      it.each([...required])('is refused without %s', async (argument) => {
        const given = { ...(await proof.works()), [argument]: undefined };
        expect(await call(given)).toMatchObject({
          error: 'invalid_arguments',
          errors: [`missing required field: ${argument}`],
          response_metadata: { messages: [`[ERROR] missing required field: ${argument}`] },
        });
      });

      it.each(scope ? [scope] : [])('is refused without the scope %s', async (needed) => {
        await using bare = await startAppWorld({ scopes: ['commands', 'pins:read'] });
        expect(await callSlack(bare.sandbox, name, await proof.works())).toMatchObject({
          error: 'missing_scope',
          needed,
          provided: 'commands,pins:read',
        });
      });

      it.each(Object.entries(proof.optional ?? {}))('accepts %s', (_, sees) => sees());

      it.each(Object.entries(proof.errors ?? {}))('returns %s', async (error, provoke) => {
        expect(await provoke()).toMatchObject({ ok: false, error });
      });
    });
  }
}
