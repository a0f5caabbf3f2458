import type { Answer } from '../../sandbox/exchange.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import type { Chance } from './chance.ts';
import type { Chronicle } from './chronicle.ts';
import type { OperationSeen } from './evidence.ts';
import type { Scheduler } from './scheduler.ts';
import { CASES_BY, ROUTES } from './settings.ts';

interface OperationNeeds {
  readonly sandbox: Sandbox;
  readonly scheduler: Scheduler;
  readonly chance: Chance;
  readonly chronicle: Chronicle;
  readonly now: () => number;
}

/** One that is still running. */
export interface Asked extends OperationSeen {
  acknowledgedAt: number | null;
  readonly effects: number[];
  readonly told: OperationSeen['told'][number][];
  /** A text that every sentence about it contains. */
  readonly mark: string;
}

/** An account, as far as a world changes it. */
interface Account {
  readonly isActive: boolean;
  readonly title: string | null;
}

/**
 * What one person asks the service to do once, in addition to the approvals: test cases by a command that needs no
 * form, moves and changes of accounts by the forms of `desk.ts`. Everything the person is told about it is recorded,
 * with what the service did.
 */
export class Operations {
  readonly #needs: OperationNeeds;
  readonly all: Asked[] = [];
  underWay = 0;
  /** By address, as they were last read. */
  readonly #accounts = new Map<string, Account>();

  constructor(needs: OperationNeeds) {
    this.#needs = needs;
  }

  /** Somebody has just asked for it. */
  begin(asked: Omit<Asked, 'at' | 'acknowledgedAt' | 'effects' | 'told'>): Asked {
    const { now, chronicle } = this.#needs;
    const begun = { ...asked, at: now(), acknowledgedAt: null, effects: [], told: [] };
    this.all.push(begun);
    chronicle.note(asked.person, `asks for ${asked.kind} ${asked.name}`, asked.name);
    return begun;
  }

  /** A person types the command of a test case. */
  createCase(): void {
    const { sandbox, chance, chronicle } = this.#needs;
    const name = `case-${this.all.length + 1}-`;
    const { channel } = chance.pick(ROUTES);
    const asked = this.begin({ name, mark: name, kind: 'case', person: CASES_BY });
    const text = `/new-case Pay ${name} --project Checkout --priority high`;
    this.underWay += 1;
    // An error in it ends the process.
    void sandbox.workspace.command({ user: CASES_BY, channel, text }).then((delivery) => {
      this.underWay -= 1;
      if (delivery.acknowledged) asked.acknowledgedAt = asked.at + delivery.ackMs;
      if (delivery.acknowledged && delivery.body !== '') this.#said(asked, delivery.body, ALWAYS);
      chronicle.note(CASES_BY, `sees ${delivery.shown ?? 'the command taken'}`, name);
    });
  }

  /** The service answered a request that is about no approval. */
  served(path: string, body: string | null, done: Answer | null): void {
    if (done === null || done.status >= 300 || body === null) return;
    if (path.endsWith('/cases')) this.#took(this.#about(body, 'case'));
    const item = /\/tasks\/([^/]+)\/move$/.exec(path)?.[1];
    if (item !== undefined) this.#took(this.all.find(({ logged }) => logged?.task === item));
    if (path.includes('/scim')) this.#lookAtAccounts();
  }

  /** Somebody reads something that may be about one. @param command what was typed, if known. */
  read(text: string, command: string, arrived: { readonly isHeard: boolean }): void {
    const asked = this.#about(text) ?? this.#about(command);
    if (asked !== undefined) this.#said(asked, text, arrived);
  }

  /** The immediate response: the progress, or the form again, with the reason. */
  answered(asked: Asked, body: string): void {
    const otherwise = /not known whether/.test(body) ? 'unknown' : 'not-done';
    this.#said(asked, body, ALWAYS, otherwise);
  }

  /** The last one that the text names; for an account, the one that it says is done. */
  #about(text: string, kind?: Asked['kind']): Asked | undefined {
    const [, done] = DONE.exec(text) ?? [];
    const isIt = (each: Asked) =>
      each.kind !== 'account' || each.logged?.what === CHANGES[done ?? ''];
    const named = this.all.filter(
      (each) => text.includes(each.mark) && (kind === undefined || each.kind === kind),
    );
    return named.findLast(isIt) ?? named.at(-1);
  }

  #took(asked: Asked | undefined): void {
    if (asked === undefined) return;
    asked.effects.push(this.#needs.now());
    this.#needs.chronicle.note('service', `carries out ${asked.name}`, asked.name);
  }

  /** A change to the value that an account already has is no effect. */
  #lookAtAccounts(): void {
    const addresses = new Set(
      this.all.flatMap(({ kind, mark }) => (kind === 'account' ? mark : [])),
    );
    for (const { userName, active, title } of this.#needs.sandbox.service.users()) {
      if (!addresses.has(userName)) continue;
      const before = this.#accounts.get(userName);
      this.#accounts.set(userName, { isActive: active, title: title ?? null });
      const what = changeOf(before, { isActive: active, title: title ?? null });
      if (what === undefined) continue;
      const isIt = ({ mark, logged }: Asked) => mark === userName && logged?.what === what;
      this.#took(this.all.find(isIt));
    }
  }

  #said(
    asked: Asked,
    text: string,
    arrived: { readonly isHeard: boolean },
    otherwise?: Asked['told'][number]['says'],
  ): void {
    const { now, chronicle } = this.#needs;
    const says = saysOf(asked.kind, text) ?? otherwise;
    if (says === undefined) return;
    chronicle.note(asked.person, `reads ${says}: ${text.slice(0, 200)}`, asked.name);
    const told = {
      at: now(),
      says,
      text,
      get answered() {
        return arrived.isHeard;
      },
    };
    asked.told.push(told);
  }
}

const ALWAYS = { isHeard: true };

function changeOf(before: Account | undefined, after: Account): string | undefined {
  if (before === undefined) return 'create';
  if (before.isActive !== after.isActive) return after.isActive ? 'activate' : 'deactivate';
  return before.title === after.title ? undefined : 'edit';
}

const DONE = /\*(Created or linked|Created|Moved|Changed|Linked|Deactivated|Re-activated)\*/;
/** The requested change behind a finished account change. */
const CHANGES: Readonly<Record<string, string>> = {
  Created: 'create',
  'Created or linked': 'create',
  Linked: 'create',
  Changed: 'edit',
  Deactivated: 'deactivate',
  'Re-activated': 'activate',
};
const PROGRESS =
  /\*(Creating|Moving|Changing|Deactivating|Re-activating)…\*|\*Checking|: Received \*/;

/** undefined: not a report, such as a form or a card. */
function saysOf(kind: Asked['kind'], text: string): Asked['told'][number]['says'] | undefined {
  if (PROGRESS.test(text)) return 'progress';
  if (DONE.test(text)) return 'done';
  if (kind === 'case') return /\*Unknown\*|not known whether/.test(text) ? 'unknown' : 'not-done';
  if (/\*(Unknown|Done, but not as requested)\*/.test(text)) return 'unknown';
  return /\*(Not \S+|No change)\*/.test(text) ? 'not-done' : undefined;
}
