import * as z from 'zod';
import { KNOWN_FACT } from '../../approvals/electorate/requester.ts';
import { VERIFIED_FACT } from '../../approvals/electorate/verified.ts';
import { RULES_TEXT } from '../../core/config/rules.ts';
import type { AuditEntry } from '../../core/store/store.ts';
import { wordsOf } from '../story.ts';

/** What the audit log says about a period, read entry by entry: `Evidence` makes rows of entries, `Summary` counts them. */

export interface Period {
  readonly fromAt: number;
  /** The first moment after it. */
  readonly toAt: number;
  /** null: all. */
  readonly route: string | null;
}

export type RequesterIs = 'verified' | 'claimed' | 'not known';

export interface Decider {
  readonly user: string;
  /** User groups, `channel` or `named`; absent: a build that did not log it. */
  readonly through?: string;
  /** In whose place. */
  readonly for?: string;
}

/** One row of the report; absent members do not apply, or were not logged. */
export interface Row {
  readonly section: SectionId | 'asked' | 'withdrawn';
  readonly at: number;
  readonly record?: string;
  readonly route?: string;
  readonly title?: string;
  readonly source?: string;
  /** Slack user ids, or what an identity token proves. */
  readonly requester?: string;
  readonly requesterIs?: RequesterIs;
  readonly outcome?: string;
  /** How certain it is who decided: `Credit` in `approvals/approval.ts`. */
  readonly credit?: string;
  readonly deciders?: readonly Decider[];
  readonly tookMs?: number;
  /** When it was withdrawn, before the outcome of a decision that had been sent was known. */
  readonly withdrawnAt?: number;
  /** Of what was decided, as its message showed it. */
  readonly digest?: string;
  /** Of its route's rules when it was decided; of all rules, in the section about them. */
  readonly rules?: string;
  readonly who?: string;
  readonly what?: string;
  /** Digests by route; the key '' for who people are. */
  readonly texts?: Readonly<Record<string, string>>;
}

export interface Section {
  readonly id: string;
  readonly title: string;
  readonly none: string;
  /** Which entries it lists as they are; absent: `Evidence` makes its rows. */
  readonly takes?: (entry: AuditEntry) => boolean;
}

/** In the order of the report. A kind of entry gets its own section by its row here. */
export const SECTIONS = [
  {
    id: 'rules',
    title: 'Rules, and when they changed',
    none: 'No change was logged.',
  },
  { id: 'decisions', title: 'Decisions', none: 'Nothing was decided.' },
  {
    id: 'self-approvals',
    title: 'Self-approvals, and who reviewed them',
    none: 'Nobody approved their own request.',
    takes: ({ action }) => action.startsWith('approvals.self-approval'),
  },
  {
    id: 'undone',
    title: 'Holds undone',
    none: 'No decision was undone during its hold.',
    takes: ({ action, facts }) => action === 'approvals.taken-back' && facts.undone !== undefined,
  },
  {
    id: 'closed',
    title: 'Closed times',
    none: 'No route was closed.',
    takes: ({ action }) => /^approvals\.(?:closed|opened)(?:\.|$)/.test(action),
  },
  {
    id: 'credited-later',
    title: 'Outcomes credited later, after the store had lost who decided',
    none: 'None.',
    takes: ({ action, facts }) => action === OUTCOME && facts.recalled === true,
  },
  {
    id: 'accounts',
    title: 'Changed accounts and links',
    none: 'No account was changed.',
    takes: ({ action }) => /^people\.(?:outcome|pins\.\w+)$/.test(action),
  },
] as const satisfies readonly Section[];

export type SectionId = (typeof SECTIONS)[number]['id'];

type Taking = Extract<(typeof SECTIONS)[number], { takes: unknown }>;

const OUTCOME = 'approvals.outcome';

interface Request {
  readonly at: number;
  readonly source: string;
  readonly route: string;
  readonly title?: string;
  readonly proof?: string;
  readonly isVerified: boolean;
  known?: boolean;
  /** A decision was sent to the service. */
  isSent?: true;
  withdrawnAt?: number;
  readonly askers: Set<string>;
  readonly ballots: Map<string, Decider & { readonly action: string }>;
}

/** Remembers each open request until it ends, and the rules in force. */
export class Evidence {
  readonly #open = new Map<string, Request>();
  /** Withdrawn while a decision was sent, whose outcome may follow. */
  readonly #withdrawn = new Map<string, Request>();
  #rules = '';
  #texts: Readonly<Record<string, string>> = {};

  /** Requests without an outcome. */
  get open(): Iterable<{ readonly route: string }> {
    return this.#open.values();
  }

  /** Takes the entries from the first one on, oldest first. */
  read(entry: AuditEntry): Row | undefined {
    const { action, record, actor, at } = entry;
    if (action === 'gatepost.start' || action === 'gatepost.rules') return this.#readRules(entry);
    const request =
      record === null ? undefined : (this.#open.get(record) ?? this.#withdrawn.get(record));
    const section = SECTIONS.find((each): each is Taking => 'takes' in each && each.takes(entry));
    if (record !== null && section === undefined) {
      if (action === 'approvals.asked') return this.#ask(record, entry);
      if (action === 'approvals.withdrawn') {
        if (request === undefined || !this.#open.delete(record)) return undefined;
        if (request.isSent)
          this.#withdrawn.set(record, Object.assign(request, { withdrawnAt: at }));
        return { section: 'withdrawn', at, record, route: request.route };
      }
      if (action === OUTCOME) {
        this.#open.delete(record);
        this.#withdrawn.delete(record);
        return decisionRow(record, entry, request);
      }
    }
    if (request !== undefined) note(request, entry);
    if (section === undefined) return undefined;
    const route = textIn(entry, 'route') ?? request?.route;
    return {
      section: section.id,
      at,
      ...(record !== null && { record }),
      ...(route !== undefined && { route }),
      ...(request?.title !== undefined && { title: request.title }),
      who: actor,
      what: wordsOf(entry),
    };
  }

  #ask(record: string, entry: AuditEntry): Row {
    const { at, actor: source, facts } = entry;
    const route = textIn(entry, 'route') ?? '';
    const title = textIn(entry, 'title');
    const proof = textIn(entry, 'subject');
    const { [KNOWN_FACT]: known } = facts;
    this.#open.set(record, {
      at,
      source,
      route,
      ...(title !== undefined && { title }),
      ...(proof !== undefined && { proof }),
      isVerified: facts[VERIFIED_FACT] === true,
      ...(typeof known === 'boolean' && { known }),
      askers: new Set(),
      ballots: new Map(),
    });
    return { section: 'asked', at, record, route };
  }

  /** undefined: the same as before. */
  #readRules(entry: AuditEntry): Row | undefined {
    const { action, at, facts } = entry;
    const isStart = action === 'gatepost.start';
    const rules = textIn(entry, isStart ? 'rules' : 'to');
    if (rules === undefined || rules === this.#rules) return undefined;
    const [routes, people] = [textIn(entry, 'routes'), textIn(entry, 'people')];
    const digests = routes === undefined ? {} : digestsOf.safeParse(parsedIn(routes)).data;
    const texts = { ...digests, ...(people !== undefined && { '': people }) };
    const before = this.#texts;
    const isFirst = this.#rules === '';
    [this.#rules, this.#texts] = [rules, texts];
    const how = isStart ? `at the start of run ${facts.run}` : `reloaded by run ${facts.run}`;
    const changes = isFirst ? 'first known' : changesText(before, texts);
    const what = digests === undefined ? 'its list of routes cannot be read' : changes;
    return { section: 'rules', at, rules, texts, what: `${what}; ${how}` };
  }
}

const digestsOf = z.record(z.string(), z.string());

/** undefined: no JSON, as in an entry that somebody forged. */
export function parsedIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What the rest of an open request's entries says about its decision. */
function note(request: Request, { action, actor, facts }: AuditEntry): void {
  const { ballots, askers } = request;
  const { [KNOWN_FACT]: known, user, refused, through } = facts;
  switch (action) {
    case 'approvals.requester':
    case 'approvals.asked-again':
      if (typeof user === 'string') askers.add(user);
      // Everybody who asked has to be known.
      if (typeof known === 'boolean') request.known = known && request.known !== false;
      return;
    case 'approvals.respond':
      request.isSent = true;
      return;
    case 'approvals.taken-back':
      ballots.delete(actor);
      return;
    case 'approvals.ballot': {
      if (refused !== undefined) return;
      ballots.set(actor, {
        user: actor,
        action: String(facts.action),
        ...(through !== undefined && { through: String(through) }),
        ...(facts.for !== undefined && { for: String(facts.for) }),
      });
      return;
    }
  }
}

const ACTIONS: Readonly<Record<string, string>> = { APPROVED: 'approve', REJECTED: 'reject' };

function decisionRow(record: string, entry: AuditEntry, request: Request | undefined): Row {
  const { at, actor, facts } = entry;
  const outcome = String(facts.status);
  const users = actor === 'gatepost' ? [] : actor.split(',');
  const deciders = users.map((user): Decider => {
    const { action, ...cast } = request?.ballots.get(user) ?? { action: undefined, user };
    return action === undefined || action === ACTIONS[outcome] ? cast : { user };
  });
  const tookMs = typeof facts.tookMs === 'number' ? facts.tookMs : request && at - request.at;
  const [digest, rules, credit] = ['digest', 'rules', 'credit'].map((name) => textIn(entry, name));
  const route = textIn(entry, 'route') ?? request?.route;
  const withdrawnAt = request?.withdrawnAt;
  return {
    section: 'decisions',
    at,
    record,
    ...(route !== undefined && { route }),
    ...(request?.title !== undefined && { title: request.title }),
    ...(request !== undefined && { source: request.source, ...requesterOf(request) }),
    outcome,
    ...(withdrawnAt !== undefined && {
      withdrawnAt,
      what: 'withdrawn before the outcome was known',
    }),
    ...(credit !== undefined && { credit }),
    deciders,
    ...(tookMs !== undefined && { tookMs }),
    ...(digest !== undefined && { digest }),
    ...(rules !== undefined && { rules }),
  };
}

function requesterOf({
  askers,
  proof,
  isVerified,
  known,
}: Request): Pick<Row, 'requester' | 'requesterIs'> {
  const requester = [...askers, ...(proof === undefined ? [] : [proof])].join(', ');
  const requesterIs = isVerified ? 'verified' : known === true ? 'claimed' : 'not known';
  return { ...(requester !== '' && { requester }), requesterIs };
}

function changesText(
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => before[name] !== after[name]);
  if (changed.length === 0) return 'changed: the catalogue';
  return `changed: ${changed.map((name) => name || 'who people are').join(', ')}`;
}

function textIn({ facts }: AuditEntry, name: string): string | undefined {
  const value = facts[name];
  return typeof value === 'string' ? value : undefined;
}

export const ENDS = ['APPROVED', 'REJECTED', 'TIMED_OUT', 'WITHDRAWN'] as const;

/** Of one route. `asked` and the ends: within the period. */
export interface RouteCounts {
  asked: number;
  readonly ended: Record<(typeof ENDS)[number], number>;
  /** Without an outcome at the end of the period. */
  open: number;
  /** How long each decision by people took. */
  readonly tookMs: number[];
}

export interface RulesText {
  readonly digest: string;
  /** null: who people are. */
  readonly route: string | null;
  /** null: too long to be logged. undefined: not logged. */
  readonly text: string | null | undefined;
}

/** Counts what the report says, so that its rows need not be kept. */
export class Summary {
  readonly period: Period;
  readonly routes = new Map<string, RouteCounts>();
  readonly rows = new Map<Row['section'], number>();
  /** The entries of the period. */
  entries = 0;
  /** Those that no checkpoint covers. */
  unsealed = 0;
  /** When the first entry of the log was written. */
  beginsAt: number | undefined;
  /** The rules in force when the period began. */
  inForce: Row | undefined;
  readonly #texts = new Map<string, RulesText['text']>();
  readonly #used = new Map<string, string | null>();

  constructor(period: Period) {
    this.period = period;
  }

  read({ at, action, facts }: AuditEntry, isSealed: boolean): void {
    this.beginsAt ??= at;
    if (action === RULES_TEXT) {
      this.#texts.set(String(facts.digest), facts.text === null ? null : String(facts.text));
    }
    if (at < this.period.fromAt) return;
    this.entries += 1;
    if (!isSealed) this.unsealed += 1;
  }

  add(row: Row): void {
    const { section, outcome, tookMs, withdrawnAt } = row;
    if (row.at < this.period.fromAt) {
      if (section === 'rules') this.inForce = row;
      return;
    }
    if (!isOn(row, this.period)) return;
    this.rows.set(section, (this.rows.get(section) ?? 0) + 1);
    if (section === 'rules') this.#use(row);
    if (section === 'asked') this.#of(row).asked += 1;
    if (section === 'withdrawn') this.#of(row).ended.WITHDRAWN += 1;
    if (section !== 'decisions') return;
    const end = ENDS.find((each) => each === outcome);
    // It ended once.
    if (withdrawnAt !== undefined && withdrawnAt >= this.period.fromAt) {
      this.#of(row).ended.WITHDRAWN -= 1;
    }
    if (end !== undefined) this.#of(row).ended[end] += 1;
    const isByPeople = end === 'APPROVED' || end === 'REJECTED';
    if (isByPeople && tookMs !== undefined) this.#of(row).tookMs.push(tookMs);
  }

  end({ open }: Evidence): void {
    if (this.inForce !== undefined) this.#use(this.inForce);
    for (const request of open) if (isOn(request, this.period)) this.#of(request).open += 1;
    for (const { tookMs } of this.routes.values()) tookMs.sort((a, b) => a - b);
  }

  /** Of the rules that were in force at any time of the period. */
  texts(): RulesText[] {
    return [...this.#used]
      .map(([digest, route]) => ({ digest, route, text: this.#texts.get(digest) }))
      .sort((a, b) => ((a.route ?? '') < (b.route ?? '') ? -1 : 1));
  }

  #of({ route = '' }: { readonly route?: string }): RouteCounts {
    const known = this.routes.get(route);
    if (known !== undefined) return known;
    const ended = { APPROVED: 0, REJECTED: 0, TIMED_OUT: 0, WITHDRAWN: 0 };
    const made = { asked: 0, ended, open: 0, tookMs: [] };
    this.routes.set(route, made);
    return made;
  }

  #use({ texts = {} }: Row): void {
    for (const [name, digest] of Object.entries(texts)) {
      if (name !== '' && !isOn({ route: name }, this.period)) continue;
      this.#used.set(digest, name || null);
    }
  }
}

/** What belongs to no route is in the report of each. */
export function isOn(row: { readonly route?: string }, { route }: Period): boolean {
  return route === null || row.route === undefined || row.route === route;
}

/** The value that this share of them do not exceed; sorted. */
export function percentile(sorted: readonly number[], share: number): number | undefined {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)];
}
