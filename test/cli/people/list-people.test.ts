import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../../sandbox/sandbox.ts';
import { startSandbox } from '../../../sandbox/start-sandbox.ts';
import { listPeople } from '../../../src/cli/people/list-people.ts';
import type { Session } from '../../../src/cli/people/session.ts';
import { RemoteFailure } from '../../../src/core/lib/failure.ts';
import { system } from '../../../src/core/lib/system.ts';
import type { UserProfile } from '../../../src/core/service/service-user.ts';
import type { UserBatch, UsersAsked } from '../../../src/core/service/user-pages.ts';
import { fake } from '../../support/fake.ts';
import { runPeople } from './people-stage.ts';

const PAGE = 100;

/** A service that has `count` pages; `fails`: the number of one that it refuses. */
function stage(count: number, { fails, screen }: { fails?: number; screen?: string[] } = {}) {
  const asked: number[] = [];
  const written: string[] = [];
  const notes: string[] = [];
  let onRows = async () => {};
  async function* pages({ startIndex = 1 }: UsersAsked): AsyncGenerator<UserBatch> {
    for (let at = startIndex; at <= count * PAGE; at += PAGE) {
      const number = (at - 1) / PAGE + 1;
      asked.push(number);
      for (const move of moves) move();
      if (number === fails)
        throw new RemoteFailure('refused', { class: 'refused', code: 'http', status: 403 });
      const users = Array.from({ length: PAGE }, (_, index) =>
        fake<UserProfile>({ id: `u${at + index}`, active: true }),
      );
      const kept = { ignoresFilter: false, ignoresPaging: false, skipsRows: false };
      yield { users, nextIndex: at + PAGE, totalResults: count * PAGE, ...kept };
    }
  }
  // The moving line is there at once, and moves while something is written.
  const moves = new Set<() => void>();
  const after = (_: number, move: () => void) => {
    moves.add(move);
    return () => void moves.delete(move);
  };
  const session = fake<Session>({
    system: { ...system, timers: { ...system.timers, after } },
    terminal: fake<Session['terminal']>({
      signal: new AbortController().signal,
      stdout: fake<Session['terminal']['stdout']>({ isTTY: screen !== undefined }),
      stderr: fake<Session['terminal']['stderr']>({
        isTTY: screen !== undefined,
        columns: 80,
        write: (text: unknown) => screen?.push(String(text)) !== undefined,
      }),
    }),
    pages: { pages },
    waiting: { sleep: async () => {}, onWait() {} },
    output: fake<Session['output']>({
      note: (sentence) => void notes.push(sentence),
      list: () => ({
        async rows(accounts) {
          await onRows();
          screen?.push('rows');
          written.push(...accounts.map(({ id }) => id));
        },
        end: async () => void written.push('end'),
      }),
    }),
  });
  const list = () => listPeople(session, {});
  return {
    asked,
    written,
    notes,
    list,
    onRows: (act: typeof onRows) => {
      onRows = act;
    },
  };
}

const ids = (count: number) => Array.from({ length: count }, (_, index) => `u${index + 1}`);

describe('people list', () => {
  test('asks for one page ahead while one is written, and writes them in order', async () => {
    const { asked, written, notes, list, onRows } = stage(4);
    const seen: number[] = [];
    onRows(async () => {
      // The next one is asked for, and none after it, however long this takes.
      for (let turn = 0; turn < 5; turn += 1) await setImmediate();
      seen.push(asked.length);
    });
    expect(await list()).toBe(0);
    expect(seen).toEqual([2, 3, 4, 4]);
    expect(written).toEqual([...ids(400), 'end']);
    expect(notes).toEqual(['400 accounts.']);
  });

  test('clears its progress line before it writes to the same screen', async () => {
    const screen: string[] = [];
    const { list } = stage(4, { screen });
    expect(await list()).toBe(0);
    const first = screen.indexOf('rows');
    expect(screen.slice(0, first).some((text) => text.includes('accounts'))).toBe(true);
    expect(screen[first - 1]).toBe('\r\u001b[K');
    expect(screen.slice(first)).toEqual(['rows', 'rows', 'rows', 'rows']);
  });

  test('says how far it came when a page fails', async () => {
    const { written, notes, list } = stage(4, { fails: 3 });
    await expect(list()).rejects.toThrow(RemoteFailure);
    expect(written).toEqual(ids(200));
    expect(notes).toEqual(['The list is not complete: it ends after 200 accounts.']);
  });

  test('says nothing about written accounts when the first page fails', async () => {
    const { written, notes, list } = stage(4, { fails: 1 });
    await expect(list()).rejects.toThrow(RemoteFailure);
    expect({ written, notes }).toEqual({ written: [], notes: [] });
  });
});

describe('people list, of a service with many accounts', () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox();
    for (let number = 0; number < 500; number += 1) {
      const displayName = `${number} ${'name '.repeat(20)}`;
      sandbox.service.setUser(`p${number}@example.com`, { displayName });
    }
  });
  afterAll(() => sandbox.close());

  test('prints the same table and the same JSON as when written all at once', async () => {
    const { code, out, err } = await runPeople(sandbox, ['list']);
    const count = sandbox.service.users().length;
    expect({ code, err }).toEqual({ code: 0, err: `${count} accounts.\n` });
    const [head = '', ...lines] = out.trimEnd().split('\n');
    expect(head).toMatch(/^User name /);
    expect(lines.map((line) => line.split(' ')[0])).toEqual(
      sandbox.service.users().map(({ userName }) => userName),
    );
    const { rows } = await runPeople(sandbox, ['list', '--json']);
    expect(rows.map(({ userName }) => userName)).toEqual(
      sandbox.service.users().map(({ userName }) => userName),
    );
  });
});
