import type { HomeRow, HomeSection, HomeSeen } from './evidence.ts';
import { ADMINISTRATORS } from './settings.ts';

/** How long a publish can be delayed, including the longest stop of a process. */
const KEPT_MS = 120_000;

/** A process that works on somebody's Home tab. */
interface Work {
  readonly from: number;
  /** Infinite while it may continue. */
  until: number;
}

interface Read {
  readonly at: number;
  readonly records: ReadonlySet<string>;
}

/**
 * What people see on their Home tabs, and when the store returned that to the publishing process. A stopped process
 * publishes what it read half a minute before, so its lists must not be compared with the state at their arrival.
 * Therefore the reads are recorded at the store: all moments at which it listed a request for the process, since it
 * gave the process this Home tab. The tab contains nothing older, and nothing later than the request to Slack.
 */
export class HomeTabs {
  readonly all: HomeSeen[] = [];
  readonly #now: () => number;
  readonly #tokenOf: (record: string) => string;
  /** By process and record. */
  readonly #works = new Map<string, Work[]>();
  /** Records of Home tabs, by person. */
  readonly #records = new Map<string, Set<string>>();
  /** By process, in the order they happened. */
  readonly #reads = new Map<string, Read[]>();

  /** @param tokenOf The service's token of a record; empty: none is known. */
  constructor(now: () => number, tokenOf: (record: string) => string) {
    this.#now = now;
    this.#tokenOf = tokenOf;
  }

  /** The store executed a call of a process. */
  stored(replica: string, name: string, args: readonly unknown[], answer: unknown): void {
    if (name === 'list') this.#listed(replica, answer);
    for (const held of heldIn(answer)) this.#begins(replica, held);
    if (name === 'save') this.#saved(replica, args, answer);
  }

  #listed(replica: string, answer: unknown): void {
    const { entries } = answer as { readonly entries: readonly { readonly record: Stored }[] }; // as: what `list` gives
    const records = new Set(entries.map(({ record }) => record.id));
    if (records.size === 0) return;
    const at = this.#now();
    const before = this.#reads.get(replica) ?? [];
    const kept = before.length < 200 ? before : before.filter((each) => each.at > at - KEPT_MS);
    this.#reads.set(replica, [...kept, { at, records }]);
  }

  #begins(replica: string, { id, kind, data }: Stored): void {
    if (kind !== 'home') return;
    const { user } = JSON.parse(data);
    this.#records.set(user, (this.#records.get(user) ?? new Set()).add(id));
    const from = this.#now();
    // It has lost its earlier lease, but may not know that yet.
    const before = this.#workOn(replica, id).filter(({ until }) => until > from - KEPT_MS);
    for (const each of before) each.until = Math.min(each.until, from + KEPT_MS);
    this.#works.set(`${replica} ${id}`, [...before, { from, until: Number.POSITIVE_INFINITY }]);
  }

  /** If there are several, it is not visible which one ends. */
  #saved(replica: string, [lease]: readonly unknown[], answer: unknown): void {
    const { kind, released } = answer as { readonly kind: string; readonly released?: boolean }; // as: what `save` gives
    if (kind !== 'lost' && released !== true) return;
    const { id } = lease as { readonly id: string }; // as: what `save` takes
    const open = this.#workOn(replica, id).filter(({ until }) => until > this.#now());
    const [only] = open;
    if (only !== undefined && open.length === 1) only.until = this.#now();
  }

  #workOn(replica: string, id: string): Work[] {
    return this.#works.get(`${replica} ${id}`) ?? [];
  }

  /** Slack accepted one. */
  published(replica: string, person: string, sentAt: number, blocks: readonly unknown[]): void {
    const ids = [...(this.#records.get(person) ?? [])];
    const works = ids.flatMap((id) => this.#workOn(replica, id));
    const own = works.filter(({ from, until }) => from <= sentAt && sentAt <= until);
    const from = Math.min(sentAt, ...own.map((work) => work.from));
    const reads = (this.#reads.get(replica) ?? []).filter(({ at }) => from <= at && at <= sentAt);
    const rows = rowsIn(blocks).map((row): HomeRow => {
      const { record, blocks: own } = row;
      const token = record === null ? '' : this.#tokenOf(record);
      const of = reads.filter(({ records }) => record !== null && records.has(record));
      return {
        ...row,
        reads: record === null ? null : of.map(({ at }) => at),
        decides: buttonsIn(own).some(({ action_id }) => DECIDE.test(String(action_id))),
        showsToken: token !== '' && JSON.stringify(own).includes(token),
      };
    });
    const isAdministrator = ADMINISTRATORS.includes(person);
    const sections = blocks.flatMap((each) => sectionOf(each) ?? []);
    this.all.push({ person, isAdministrator, from, at: this.#now(), sections, rows });
  }
}

interface Stored {
  readonly id: string;
  readonly kind: string;
  readonly data: string;
}

/** Records that an answer of the store leases to the caller. */
function heldIn(answer: unknown): Stored[] {
  if (typeof answer !== 'object' || answer === null || !('held' in answer)) return [];
  const { held } = answer;
  // as: the result of `claim`, `create` and `signal`
  return [held]
    .flat()
    .flatMap((each) => (each as { readonly record: Stored } | undefined)?.record ?? []);
}

const DECIDE = /^approvals\.ballot\./;
/** Buttons that name the request. */
const NAMING = /^approvals\.(?:review$|ballot\.)/;
const SECTIONS: Readonly<Record<string, HomeSection>> = {
  'Waiting for you': 'waiting',
  'Your requests': 'asked',
  Decided: 'decided',
  'Other open requests': 'all',
};

interface Block {
  readonly type: string;
  readonly text?: { readonly text: string };
  readonly elements?: readonly Button[];
  readonly accessory?: Button;
}

interface Button {
  readonly action_id?: string;
  readonly value?: string;
}

/** undefined: not a heading. */
function sectionOf(block: unknown): HomeSection | undefined {
  const { type, text } = block as Block; // as: what Slack took
  if (type !== 'header') return undefined;
  return SECTIONS[String(text?.text).split(' · ')[0] ?? ''];
}

/** A row begins with its title, and ends with its buttons. */
function rowsIn(
  blocks: readonly unknown[],
): Pick<HomeRow, 'section' | 'title' | 'record' | 'blocks'>[] {
  const rows: { section: HomeSection; title: string; blocks: unknown[] }[] = [];
  let section: HomeSection | undefined;
  let isInRow = false;
  for (const block of blocks) {
    section = sectionOf(block) ?? section;
    const { type, text, accessory } = block as Block; // as: what Slack took
    const [, title] = /^\*(?:<[^|]*\|)?([^*>]+)>?\*\n/.exec(text?.text ?? '') ?? [];
    if (section !== undefined && type === 'section' && title !== undefined) {
      rows.push({ section, title, blocks: [block] });
      isInRow = accessory === undefined;
      continue;
    }
    if (type === 'header' || type === 'divider') isInRow = false;
    if (isInRow) rows.at(-1)?.blocks.push(block);
    if (type === 'actions') isInRow = false;
  }
  return rows.map((row) => {
    const named = buttonsIn(row.blocks).find(({ action_id }) => NAMING.test(String(action_id)));
    return { ...row, record: named?.value?.split(' ')[0] ?? null };
  });
}

function buttonsIn(blocks: readonly unknown[]): readonly Button[] {
  // as: what Slack accepted
  return (blocks as readonly Block[]).flatMap(({ type, elements = [], accessory }) => [
    ...(type === 'actions' ? elements : []),
    ...(accessory === undefined ? [] : [accessory]),
  ]);
}
