import type { Sandbox } from '../sandbox/sandbox.ts';
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

/** One that is lived still. */
interface Asked extends OperationSeen {
  acknowledgedAt: number | null;
  readonly effects: number[];
  readonly told: OperationSeen['told'][number][];
}

/**
 * What one person asks the service to do once, beside the approvals: test cases, by the command that needs no
 * form. Whatever that person is told of it, on whichever way, is kept with what the service did.
 */
export class Operations {
  readonly #needs: OperationNeeds;
  readonly all: Asked[] = [];
  underWay = 0;

  constructor(needs: OperationNeeds) {
    this.#needs = needs;
  }

  /** A person types the command. */
  ask(): void {
    const { sandbox, chance, chronicle, now } = this.#needs;
    const name = `case-${this.all.length + 1}-`;
    const { channel } = chance.pick(ROUTES);
    const asked: Asked = {
      name,
      kind: 'case',
      person: CASES_BY,
      at: now(),
      acknowledgedAt: null,
      effects: [],
      told: [],
    };
    this.all.push(asked);
    const text = `/new-case Pay ${name} --project Checkout --priority high`;
    chronicle.note(CASES_BY, `types ${text}`, name);
    this.underWay += 1;
    // What goes wrong in it ends the process.
    void sandbox.workspace.command({ user: CASES_BY, channel, text }).then((delivery) => {
      this.underWay -= 1;
      if (delivery.acknowledged) asked.acknowledgedAt = asked.at + delivery.ackMs;
      if (delivery.acknowledged && delivery.body !== '') this.#said(asked, delivery.body, ALWAYS);
      chronicle.note(CASES_BY, `sees ${delivery.shown ?? 'the command taken'}`, name);
    });
  }

  /** The service made one of this title. */
  made(title: string): void {
    const asked = this.#about(title);
    asked?.effects.push(this.#needs.now());
    if (asked) this.#needs.chronicle.note('service', `makes ${asked.name}`, asked.name);
  }

  /** Somebody reads something that may be about one. @param command what was typed, where that is known. */
  read(text: string, command: string, arrived: { readonly isHeard: boolean }): void {
    const asked = this.#about(text) ?? this.#about(command);
    if (asked !== undefined) this.#said(asked, text, arrived);
  }

  #about(text: string): Asked | undefined {
    const [name] = /case-\d+-/.exec(text) ?? [];
    return this.all.find((each) => each.name === name);
  }

  #said(asked: Asked, text: string, arrived: { readonly isHeard: boolean }): void {
    const { now, chronicle } = this.#needs;
    const says = saysOf(text);
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

function saysOf(text: string): OperationSeen['told'][number]['says'] {
  if (/\*Creating…\*|\*Checking|: Received \*/.test(text)) return 'progress';
  if (/\*Created\*/.test(text)) return 'done';
  if (/\*Unknown\*|not known whether/.test(text)) return 'unknown';
  return 'not-done';
}
