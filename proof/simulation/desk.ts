import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { EphemeralMessage } from '../../sandbox/wire.ts';
import type { Delivery } from '../../sandbox/workspace/user-actions.ts';
import type { Chance } from './chance.ts';
import type { Chronicle } from './chronicle.ts';
import type { Command } from './evidence.ts';
import type { Observer } from './observer.ts';
import type { Asked, Operations } from './operations.ts';
import type { Scheduler } from './scheduler.ts';
import { DESK, REQUEST_CHANNELS, ROUTES } from './settings.ts';

interface DeskNeeds {
  readonly sandbox: Sandbox;
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly chronicle: Chronicle;
  readonly observer: Observer;
  readonly operations: Operations;
  readonly now: () => number;
}

/** Never away, and a reviewer of everything. */
const LISTED_BY = 'U0ANA';
/** How often somebody checks whether the modal has changed. */
const LOOK_MS = 700;
const LOOKS = 40;

/**
 * Somebody who moves work items and manages accounts, in the modals of `/move-task` and `/people`: one thing after the
 * other, as a person has one modal open. Some modals are closed before the result is there.
 */
export class Desk {
  readonly #needs: DeskNeeds;
  readonly #jobs: (() => Promise<void>)[] = [];
  #isBusy = false;
  #accounts = 0;
  #isListing = false;

  constructor(needs: DeskNeeds) {
    this.#needs = needs;
    const { workspace, service } = needs.sandbox;
    workspace.setUser(DESK, { deleted: false });
    for (const channel of REQUEST_CHANNELS) workspace.invite(channel, DESK);
    service.setUser(workspace.user(DESK)?.profile.email ?? '', { active: true });
  }

  /** Whether anything is left to do. */
  get isBusy(): boolean {
    return this.#isBusy || this.#jobs.length > 0 || this.#isListing;
  }

  move(): void {
    this.#add(() => this.#move());
  }

  /** An account is created, changed, deactivated and activated, each once the previous step is known to be done. */
  lookAfterAccount(): void {
    this.#add(() => this.#lookAfterAccount());
  }

  #add(job: () => Promise<void>): void {
    this.#jobs.push(job);
    if (!this.#isBusy) this.#work();
  }

  #work(): void {
    const job = this.#jobs.shift();
    this.#isBusy = job !== undefined;
    if (job === undefined) return;
    const { chronicle, sandbox } = this.#needs;
    job()
      // A button or a modal is gone, or never opened.
      .catch((error: unknown) => chronicle.note(DESK, `gives up: ${String(error)}`))
      .then(async () => {
        if (sandbox.workspace.modal(DESK))
          await sandbox.workspace.closeModal({ user: DESK, all: true });
        this.#work();
      });
  }

  async #move(): Promise<void> {
    const { workspace, service } = this.#needs.sandbox;
    const title = `Item ${this.#needs.operations.all.length + 1}`;
    const { key, id } = service.tasks.add({ project: 'operations' }, { title, status: 'ops-done' });
    await this.#type(`/move-task ${key} Platform`);
    // Questions before it have suggested answers.
    for (let view = await this.#submitLabel(/./); view !== undefined; ) {
      if (/^Move/.test(view)) {
        const named = { name: `move of ${key}`, mark: key, kind: 'move', person: DESK } as const;
        const asked = this.#needs.operations.begin({ ...named, logged: { task: id } });
        return this.#report(asked, workspace.submit({ user: DESK }));
      }
      await workspace.submit({ user: DESK });
      view = await this.#submitLabel(/./, view);
    }
  }

  async #lookAfterAccount(): Promise<void> {
    const { scheduler, sandbox } = this.#needs;
    const { workspace } = sandbox;
    this.#accounts += 1;
    const mark = `nia-${this.#accounts}@example.com`;
    const begin = (what: string, account?: string) =>
      this.#needs.operations.begin({
        name: `${what} of ${mark}`,
        mark,
        kind: 'account',
        person: DESK,
        logged: account === undefined ? { what } : { what, account },
      });
    await this.#type(`/people create ${mark}`);
    if ((await this.#submitLabel(/Preview/)) === undefined) return;
    await workspace.submit({ user: DESK });
    if ((await this.#submitLabel(/^Create$/)) === undefined) return;
    const created = begin('create');
    await this.#report(created, workspace.submit({ user: DESK }));
    let last: Asked = created;
    for (const what of ['edit', 'deactivate', 'activate'] as const) {
      if (last.told.at(-1)?.says !== 'done') return;
      // What was sent and not answered has arrived by then.
      await scheduler.sleep(20_000);
      const id = sandbox.service.users().find(({ userName }) => userName === mark)?.id;
      await this.#type(`/people ${what} ${mark}`);
      if (!(await this.#shows(/\*External id\*/))) return;
      const press = (label: string) => workspace.click({ user: DESK, surface: 'modal', label });
      if (what === 'edit') {
        await press('Edit');
        if ((await this.#submitLabel(/^Save$/)) === undefined) return;
        last = begin(what, id);
        await this.#report(last, workspace.submit({ user: DESK, values: { 'Job title': 'Lead' } }));
      } else {
        last = begin(what, id);
        await this.#report(last, press(what === 'activate' ? 'Re-activate' : 'Deactivate'));
      }
    }
  }

  /** Waits for the result, with the modal open or closed. */
  async #report(asked: Asked, sent: Promise<Delivery>): Promise<void> {
    const { chance, chronicle, sandbox, scheduler } = this.#needs;
    const delivery = await sent;
    if (delivery.acknowledged) asked.acknowledgedAt = asked.at + delivery.ackMs;
    if (delivery.acknowledged && delivery.body !== '')
      this.#needs.operations.answered(asked, delivery.body);
    chronicle.note(DESK, `sees ${delivery.shown ?? 'it taken'}`, asked.name);
    this.#readModal(asked);
    if (chance.often(0.2)) await sandbox.workspace.closeModal({ user: DESK, all: true });
    for (let look = 0; look < LOOKS && !isOver(asked); look += 1) {
      await scheduler.sleep(LOOK_MS);
      this.#readModal(asked);
    }
  }

  /** That it was not recorded is shown in the modal it was requested in, without naming it. */
  #readModal(asked: Asked): void {
    const { sandbox, operations } = this.#needs;
    const shown = JSON.stringify(sandbox.workspace.modal(DESK)?.blocks ?? []);
    if (!isOver(asked) && /was not recorded|not known whether [^.]* was recorded/.test(shown))
      operations.answered(asked, shown);
  }

  /** Somebody lists what waits for them, or what was decided. */
  list(isOfDecided = this.#needs.chance.often(0.5)): void {
    // One list at a time: what is read answers the last command.
    if (this.#isListing) return;
    this.#isListing = true;
    void this.#readList(isOfDecided)
      // A button is gone.
      .catch((error: unknown) =>
        this.#needs.chronicle.note(LISTED_BY, `gives up: ${String(error)}`),
      )
      .finally(() => {
        this.#isListing = false;
      });
  }

  /** Page by page, to the end. */
  async #readList(isOfDecided: boolean): Promise<void> {
    const { observer, now } = this.#needs;
    let from = now();
    await this.#type('/approvals', LISTED_BY);
    const titles: string[] = [];
    let isCertain = true;
    let page = await this.#pageAskedAt(from);
    if (isOfDecided && page !== undefined) {
      from = now();
      await this.#turn(page, DECIDED);
      page = await this.#pageAskedAt(from, page);
    }
    while (page !== undefined) {
      titles.push(...page.titles);
      isCertain = isCertain && page.isCertain;
      const { more } = page;
      const askedAt = now();
      const read = { person: LISTED_BY, from, until: askedAt, titles, isOfDecided };
      if (more === null) return void observer.lists.push({ ...read, isWhole: isCertain });
      await this.#turn(page, more);
      page = await this.#pageAskedAt(askedAt, page);
      if (page === undefined) observer.lists.push({ ...read, isWhole: false });
    }
  }

  #turn({ channel, ts }: ListPage, actionId: string): Promise<void> {
    const { workspace } = this.#needs.sandbox;
    const click = { user: LISTED_BY, channel, ts, actionId };
    return this.#asked(actionId, LISTED_BY, () => workspace.click(click));
  }

  /**
   * The answer to it that is shown now, in the place of the page before: an earlier list may be turned late. undefined:
   * there is none.
   */
  async #pageAskedAt(at: number, before?: ListPage): Promise<ListPage | undefined> {
    const { observer, sandbox, scheduler } = this.#needs;
    for (let look = 0; look < LOOKS; look += 1) {
      const pages = sandbox.workspace.ephemerals(LISTED_BY).flatMap(pageIn);
      const page = pages.filter(({ ts }) => before === undefined || ts === before.ts).at(-1);
      if (page !== undefined && observer.answerTo(LISTED_BY, at) === page.text) return page;
      await scheduler.sleep(LOOK_MS);
    }
    return undefined;
  }

  /** A command that shows something, or says why not. */
  async #type(text: string, user: string = DESK): Promise<void> {
    const { channel } = this.#needs.chance.pick(ROUTES);
    await this.#asked(text, user, () =>
      this.#needs.sandbox.workspace.command({ user, channel, text }),
    );
  }

  async #asked(text: string, user: string, ask: () => Promise<Delivery>): Promise<void> {
    const { chronicle, observer, now } = this.#needs;
    const typed: Mutable<Command> = {
      person: user,
      text,
      at: now(),
      acknowledged: false,
      answer: null,
    };
    observer.typed(typed);
    const delivery = await ask();
    typed.acknowledged = delivery.acknowledged;
    typed.answer ??= delivery.shown ?? (delivery.body === '' ? null : delivery.body);
    chronicle.note(user, `types ${text}, and sees ${delivery.shown ?? 'it taken'}`);
  }

  /** The label of the button that submits the modal, once it matches and has changed; undefined: never. */
  async #submitLabel(pattern: RegExp, before?: string): Promise<string | undefined> {
    const { sandbox, scheduler } = this.#needs;
    for (let look = 0; look < LOOKS; look += 1) {
      const submit = sandbox.workspace.modal(DESK)?.submit;
      // as: plain text, as Slack requires
      const label = (submit as { readonly text: string } | undefined)?.text;
      if (label !== undefined && label !== before && pattern.test(label)) return label;
      await scheduler.sleep(LOOK_MS);
    }
    return undefined;
  }

  async #shows(pattern: RegExp): Promise<boolean> {
    const { sandbox, scheduler } = this.#needs;
    for (let look = 0; look < LOOKS; look += 1) {
      if (pattern.test(JSON.stringify(sandbox.workspace.modal(DESK)?.blocks ?? []))) return true;
      await scheduler.sleep(LOOK_MS);
    }
    return false;
  }
}

/** A page of a list, as somebody reads it. */
interface ListPage {
  readonly text: string;
  readonly channel: string;
  readonly ts: string;
  readonly titles: readonly string[];
  /** It does not say of anything that it could not be checked, or was left out. */
  readonly isCertain: boolean;
  /** The button for the next page. */
  readonly more: string | null;
}

const MORE = 'approvals.list.more';
const DECIDED = 'approvals.list.decided';
/** The heading of a page of what was decided. */
const DECIDED_PAGE = /"type":"header"[^}]*"text":"Decided"/;

function pageIn({ channel, ts, text, blocks = [] }: EphemeralMessage): ListPage[] {
  const shown = JSON.stringify(blocks);
  const isList =
    shown.includes('Waiting for you') ||
    text.startsWith('Nothing is waiting for you') ||
    DECIDED_PAGE.test(shown);
  if (!isList) return [];
  const [waiting = ''] = shown.split('"Your requests"');
  return [
    {
      text,
      channel,
      ts,
      titles: [...waiting.matchAll(/\*(?:<[^|]*\|)?(Gate g\d+)>?\*/g)].map(([, title]) =>
        String(title),
      ),
      isCertain: !/could not check|and there are more/.test(waiting),
      more: waiting.includes(MORE) ? MORE : null,
    },
  ];
}

function isOver({ told }: Asked): boolean {
  return told.some(({ says }) => says !== 'progress');
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
