import { expect } from 'vitest';
import type { Block, View } from '../../sandbox/wire.ts';
import type { Entered } from '../../sandbox/workspace/user-actions.ts';
import type { Config } from '../../src/core/config/config.ts';
import { WORDS } from '../../src/operations/tasks/outcome-words.ts';
import { DEPLOYS, readable, type World, type WorldOptions } from '../support/world.ts';
import { ANA, type Stage, startStage } from './stage.ts';

const PROJECT = (n: number) => `9c0e5a00-0000-4000-8000-${String(n).padStart(12, '0')}`;
export const OPERATIONS = PROJECT(1);
export const PLATFORM = PROJECT(2);
export const WEBSITE = PROJECT(3);
export const LEDGER = PROJECT(4);
const ITEM = (n: number) => `3b7d1f00-0000-4000-8000-${String(n).padStart(12, '0')}`;
/** OPS-12 and its sub-items, as the sandbox's service has them at the start. */
export const TREE = [1, 2, 3, 4, 5].map(ITEM);

const named = (project: string, ...names: string[]) =>
  names.map((name) => ({ id: `${project}-${name.toLowerCase().replaceAll(' ', '-')}`, name }));

/** The configuration of the sandbox's service. */
export const CATALOGUE: Config['catalogue'] = {
  testProjects: [],
  projects: [
    {
      id: OPERATIONS,
      name: 'Operations',
      space: 'ops',
      slug: 'operations',
      statuses: named('ops', 'Open', 'In progress', 'Waiting', 'Done'),
      types: [],
    },
    {
      id: PLATFORM,
      name: 'Platform',
      space: 'eng',
      slug: 'platform',
      statuses: named('plat', 'Backlog', 'In progress', 'In review', 'Done'),
      types: [
        {
          id: 'plat-bug',
          name: 'Bug',
          statuses: named('plat-bug', 'Reported', 'Confirmed', 'Fixed'),
        },
      ],
    },
    {
      id: WEBSITE,
      name: 'Website',
      space: 'eng',
      slug: 'website',
      statuses: named('web', 'To do', 'Doing', 'Done'),
      types: [],
    },
    {
      id: LEDGER,
      name: 'Ledger',
      space: 'fin',
      slug: 'ledger',
      statuses: named('led', 'Draft', 'Booked'),
      types: [],
    },
  ],
};

export interface MoveOptions {
  readonly source?: Config['move']['source'];
  readonly move?: Partial<Config['move']>;
  readonly config?: (config: Config) => Config;
  readonly env?: WorldOptions['env'];
  readonly hasDoor?: boolean;
}

/** The settings of a bot that can move the items of the sandbox's service. */
export function movingConfig(given: Config, { source = 'http', move }: MoveOptions = {}): Config {
  return {
    ...given,
    dialect: { ...given.dialect, task: { path: '/sandbox/v1/tasks' } },
    catalogue: CATALOGUE,
    links: { testCase: null, task: 'https://service.example/{spaceSlug}/{projectSlug}/{key}' },
    move: {
      source,
      who: { users: [ANA], groups: [], channel: false },
      projects: [],
      rules: [],
      announce: true,
      identity: given.move.identity,
      ...move,
    },
    sources: given.sources.map((each) => ({ ...each, kinds: ['approval', 'task'] })),
  };
}

/** A stage on which Ana can move work items. */
export interface MoveStage extends Stage, ReturnType<typeof moving> {
  /** An automation posts to `/v1/tasks`. */
  report(body: unknown): Promise<{ readonly status: number; readonly body: unknown }>;
}

export async function startMoveStage(options: MoveOptions = {}): Promise<MoveStage> {
  const stage = await startStage({
    env: options.env ?? {},
    hasDoor: options.hasDoor ?? false,
    config: (given) => {
      const config = movingConfig(given, options);
      return options.config?.(config) ?? config;
    },
  });
  return { ...stage, ...moving(stage), report: (body) => report(stage, body) };
}

async function report({ app, sandbox }: Stage, body: unknown) {
  const answer = await fetch(`${app.url}/v1/tasks`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${sandbox.credentials.intakeSecret}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: JSON.parse(await answer.text()) };
}

/** Continues to the review of OPS-18, which becomes `To do` in Website. */
export async function reviewed(
  stage: Pick<MoveStage, 'type' | 'modalOf' | 'submit'>,
): Promise<void> {
  await stage.type('OPS-18 Website');
  await stage.modalOf(/Open:/);
  expect(await stage.submit({ Open: 'To do' })).toContain('[Move 1 item]');
}

/**
 * Types a command; returns the reply, or waits for its form. Types it again if a slow machine let the trigger expire:
 * the person reads `notOpened`, which says to try again.
 */
export async function typeCommand(
  { sandbox: { workspace, until } }: Pick<World, 'sandbox'>,
  {
    user,
    channel,
    text,
  }: { readonly user: string; readonly channel: string; readonly text: string },
  notOpened: string,
): Promise<string> {
  const words = () => workspace.ephemerals(user);
  const untold = () => words().filter((each) => each.text === notOpened).length;
  for (let tries = 1; tries <= 5; tries += 1) {
    const [before, said, heard] = [workspace.modal(user)?.id, untold(), words().length];
    const typed = await workspace.command({ user, channel, text: text.trim() });
    expect(typed).toMatchObject({ acknowledged: true, shown: null });
    const answer = words()[heard]?.text;
    if (answer !== undefined && answer !== notOpened) return answer;
    const isShown = () => {
      const view = workspace.modal(user);
      return view !== undefined && view.id !== before && modalText(view) !== 'Loading…';
    };
    await until(() => isShown() || untold() > said, { what: 'the form' });
    if (isShown()) return '';
  }
  throw new Error('the form did not open');
}

/** How a story drives moves. */
export function moving({ sandbox }: Pick<World, 'sandbox'>) {
  const { workspace, service } = sandbox;
  const read = (user: string) => modalText(workspace.modal(user));
  return {
    async type(words: string, user = ANA, channel = DEPLOYS) {
      await typeCommand(
        { sandbox },
        { user, channel, text: `/move-task ${words}` },
        WORDS.notOpened,
      );
    },
    async modalOf(pattern: RegExp, user = ANA) {
      await sandbox.until(() => pattern.test(read(user)), { what: `${pattern} in the modal` });
      return read(user);
    },
    async submit(values: Readonly<Record<string, Entered>> = {}, user = ANA) {
      const submitted = await workspace.submit({ user, values });
      expect(submitted).toMatchObject({ acknowledged: true, shown: null });
      // What takes time is acknowledged first.
      await sandbox.until(() => read(user) !== 'Loading…', { what: 'what follows' });
      return read(user);
    },
    async press(label: string, user = ANA) {
      const pressed = await workspace.click({ user, surface: 'modal', label });
      expect(pressed).toMatchObject({ acknowledged: true });
    },
    async choose(input: string, value: Entered) {
      const chosen = await workspace.choose({ user: ANA, surface: 'modal', input, value });
      expect(chosen).toMatchObject({ acknowledged: true });
    },
    moves: () => service.requests('moveTask').map(({ body }) => body),
    item: (key: string) => service.tasks.item(key),
  };
}

/** All text of a modal: blocks, labels with their hints, chosen values, and the button. */
export function modalText(view: View | undefined): string {
  if (view === undefined) return '(no modal)';
  const lines = view.blocks.flatMap((block) => [
    ...(block.type === 'input' ? inputLines(block) : [readable({ blocks: [block] } as never)]),
  ]);
  const submit = view.submit as { text?: string } | null;
  const shown = [...lines, ...(submit?.text === undefined ? [] : [`[${submit.text}]`])];
  return shown.join('\n').replace(/<!date[^>]*>/g, '<date>');
}

function inputLines(block: Block): string[] {
  const part = (name: string) => (block[name] as { text?: string } | undefined)?.text;
  const element = block.element as { initial_option?: { text: { text: string } } };
  const chosen = element.initial_option?.text.text;
  return [`${part('label')}: ${chosen ?? ''}`, part('hint') ?? ''].filter((line) => line !== '');
}
