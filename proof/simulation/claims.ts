import type { Action, Status, Version } from './evidence.ts';

/** What a text says about an approval, as a person would read it. */
export interface Claims {
  /** That it ended with this status. */
  readonly status: Status | null;
  /** The people it names for that; empty: nobody. */
  readonly by: readonly string[];
  /** That nobody here did it. */
  readonly elsewhere: boolean;
  /** Whose decision it says was made and is not confirmed yet; only people who could decide alone may be named. */
  readonly undecided: Claims['sent'];
  /** That their approvals are held, and until when. */
  readonly held: { readonly by: readonly string[]; readonly until: number } | null;
  /** That the requester approved it, who has reviewed that since, and whether somebody can. */
  readonly self: {
    readonly person: string;
    readonly reviewer: string | null;
    readonly asks: boolean;
  } | null;
  /** Whose decision it says was sent. */
  readonly sent: readonly { readonly person: string; readonly action: Action | null }[];
  /** Whom it names as having approved, if more are needed. */
  readonly approvedBy: readonly string[];
  /** Whom it names as having decided or approved for another person. */
  readonly inPlace: readonly { readonly person: string; readonly giver: string }[];
  /** Whom it asks, and which of them it says are away; null: nobody. */
  readonly asks: {
    readonly people: readonly string[];
    readonly noted: readonly string[];
    readonly groups: readonly string[];
    readonly notedGroups: readonly string[];
  } | null;
  readonly waiting: boolean;
  /** It waits for the service, with a press or a decision. */
  readonly waitsForService: boolean;
  /** The service has not confirmed a decision. */
  readonly unconfirmed: boolean;
  /** The service has not answered reads lately. */
  readonly stale: boolean;
  readonly unknown: boolean;
  readonly withdrawn: boolean;
  /** Its route is closed. */
  readonly closed: boolean;
  /** Whose approvals count although it was closed, if one that did has to be given again; null: none has to. */
  readonly countsStill: readonly string[] | null;
  /** Quotations, each with the person named on the line above it. */
  readonly quotes: readonly { readonly person: string | null; readonly text: string }[];
  /** It can be decided. */
  readonly buttons: boolean;
}

const STATUS: Readonly<Record<string, Status>> = {
  approved: 'APPROVED',
  rejected: 'REJECTED',
  'timed out': 'TIMED_OUT',
};
const ACTION: Readonly<Record<string, Action>> = { approval: 'approve', rejection: 'reject' };

/** A version of an approval's message: its state is in sections and small text. */
export function claimsOf(version: Version): Claims {
  const known = read.get(version) ?? readClaims(version);
  read.set(version, known);
  return known;
}

/** Several rules read each version. */
const read = new WeakMap<Version, Claims>();

function readClaims({ text, blocks }: Version): Claims {
  const said = blocks.flatMap(ownWords).join('\n');
  const words = said.replaceAll(IN_PLACE, (_, person: string) => person);
  const state = /^:[a-z_]+: \*(Approved|Rejected|Timed out)\b( elsewhere)?( by ([^*]+))?/m.exec(
    words,
  );
  const progress =
    /:hourglass: \*Waiting\b[^\n]*? · (?:\d+ of \d+ approvals \(([^)]*)\)|approved by ([^·\n]*))/.exec(
      words,
    );
  const shared = /decided by \d+ of \d+: (.+)/.exec(words);
  const held = heldIn(words);
  const headline = /^(Approved|Rejected|Timed out): /.exec(text);
  const named = [...peopleIn(state?.[4] ?? ''), ...peopleIn(shared?.[1] ?? '')];
  return {
    status: STATUS[(state?.[1] ?? headline?.[1] ?? '').toLowerCase()] ?? null,
    by: named,
    elsewhere: state?.[2] !== undefined,
    undecided: [
      ...whoseIn(/^:hourglass_flowing_sand: .*<@(\w+)>'s (approval|rejection)/m, words),
      ...(held?.by ?? []).map((person) => ({ person, action: 'approve' as const })),
    ],
    held,
    self: selfIn(words, blocks),
    sent: sentIn(words),
    approvedBy: peopleIn(progress?.[1] ?? progress?.[2] ?? ''),
    inPlace: [...said.matchAll(IN_PLACE)].map(([, one, other]) => ({
      person: String(peopleIn(String(one))[0]),
      giver: String(peopleIn(String(other))[0]),
    })),
    asks: asksIn(said),
    waiting: /:hourglass: \*Waiting\b/.test(words),
    waitsForService: /\*Waiting for the service\*/.test(words),
    unconfirmed: /\*Waiting for the service\* · it has not confirmed <@/.test(words),
    stale: /^:warning: The service /m.test(words),
    unknown: /:grey_question: \*Unknown\*/.test(words),
    withdrawn: /:no_entry_sign: \*Withdrawn\*/.test(words),
    closed: /^:lock: \*Closed (?:here )?until /m.test(words),
    countsStill: countsStillIn(words),
    quotes: blocks.flatMap(quotesIn),
    // Seldom asked for.
    get buttons() {
      return blocks.some(hasButtons);
    },
  };
}

function heldIn(words: string): Claims['held'] {
  const match = /\*([^*\n]*) approved\* · (?:will be sent|counts) at <!date\^(\d+)\^/.exec(words);
  if (match === null) return null;
  return { by: peopleIn(String(match[1])), until: Number(match[2]) * 1_000 };
}

function countsStillIn(words: string): Claims['countsStill'] {
  const [line] = /^:lock: \*Closed .* · Approve has to be pressed again\b/m.exec(words) ?? [];
  if (line === undefined) return null;
  const [, some, all] =
    / · (?:\d+ of \d+ approvals \(([^)]*)\)|approved by ([^·]*))/.exec(line) ?? [];
  return peopleIn(some ?? all ?? '');
}

function selfIn(words: string, blocks: Version['blocks']): Claims['self'] {
  const match = /\*Approved by its own requester ([^*]+)\*/.exec(words);
  const [person] = peopleIn(match?.[1] ?? '');
  if (person === undefined) return null;
  const [, reviewer = null] = /^:eyes: Reviewed by <@(\w+)>/m.exec(words) ?? [];
  return { person, reviewer, asks: JSON.stringify(blocks).includes('"approvals.reviewed"') };
}

const PERSON = String.raw`(?:<@\w+>|<[^|>\s]*/team/\w+\|[^>]*>)`;
/** A person for another person. */
const IN_PLACE = new RegExp(`(${PERSON}) for (${PERSON})`, 'g');

/** The people mentioned on the line that says what it waits for; null: there is no such line. */
function asksIn(words: string): Claims['asks'] {
  const [line] = /:hourglass: \*Waiting\b[^\n]*/.exec(words) ?? [];
  if (line === undefined) return null;
  const noted = [...line.matchAll(/<@(\w+)> \(away(?: until |\))/g)].map(([, id]) => String(id));
  const all = [...line.matchAll(/<@(\w+)>/g)].map(([, id]) => String(id));
  const groups = [...line.matchAll(/<!subteam\^(\w+)>( \((?:all|some) away\))?/g)];
  return {
    people: all.filter((each) => !noted.includes(each)),
    noted,
    groups: groups.flatMap(([, id, note]) => (note === undefined ? [String(id)] : [])),
    notedGroups: groups.flatMap(([, id, note]) => (note === undefined ? [] : [String(id)])),
  };
}

/** Other people's text is rich text; that of the person who decided follows a line with their name. */
function quotesIn(block: unknown): Claims['quotes'] {
  if (!isObject(block) || block.type !== 'rich_text' || !Array.isArray(block.elements)) return [];
  const [first] = block.elements;
  const name = isObject(first) && first.type === 'rich_text_section' ? leavesIn(first) : [];
  const person = name.flatMap(personIn)[0] ?? null;
  return block.elements.flatMap((each) => {
    if (!isObject(each) || each.type !== 'rich_text_quote') return [];
    return [{ person, text: leavesIn(each).map(textOf).join('') }];
  });
}

function leavesIn({
  elements,
}: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>[] {
  return Array.isArray(elements) ? elements.filter(isObject) : [];
}

function personIn(leaf: Readonly<Record<string, unknown>>): string[] {
  if (leaf.type === 'user') return [String(leaf.user_id)];
  const linked = /\/team\/(\w+)$/.exec(String(leaf.url ?? ''));
  return linked === null ? [] : [String(linked[1])];
}

function textOf({ text }: Readonly<Record<string, unknown>>): string {
  return typeof text === 'string' ? text : '';
}

/** A reply to one person. */
export interface Said extends Pick<Claims, 'status' | 'by' | 'elsewhere' | 'sent'> {
  /** That the person's own decision does not count. */
  readonly notSent: boolean;
  /** How it ended, that nothing was sent, or why the person cannot decide: it answers all their presses until then. */
  readonly isOfAll: boolean;
  /** That the person cannot decide. */
  readonly refused: boolean;
}

export function saidIn(text: string): Said {
  const decided =
    /\*(?: was| is)(?: already)? (approved|rejected)(?! and (?:will be sent|counts) at)( elsewhere)?(?: by ((?:<@\w+>(?:, | and )?)+))?/.exec(
      text,
    );
  const timedOut = /\* timed out\./.test(text);
  const refused = /\bdecisions?(?: on [^\n]*)? does not count\b|cannot decide \*/.test(text);
  return {
    status: timedOut ? 'TIMED_OUT' : (STATUS[decided?.[1] ?? ''] ?? null),
    by: peopleIn(decided?.[3] ?? ''),
    elsewhere: decided?.[2] !== undefined,
    sent: sentIn(text),
    notSent:
      refused || /\b(Nothing was sent|was not recorded|so your press was not counted)\b/.test(text),
    isOfAll: OF_ALL.test(text) || (refused && REFUSALS.test(text)),
    refused: refused && REFUSALS.test(text),
  };
}

const OF_ALL =
  /^You asked for \*|\*: [^\n]*\b(?:Nothing was sent|Your decision does not count)\.|\* was withdrawn by the automation that asked\.|\* was replaced by a newer request, |The service did not say whose decision it accepted\.$|so your decision was not accepted\.|\* has changed since you opened it, so your decision was not counted\./;

/** About the person, not about the request: it timed out, was withdrawn, could not be checked. */
const REFUSALS =
  /not a reviewer|do not review its route|could not check whether you (?:are a reviewer|asked)|You asked for|account (?:in the service )?is deactivated|Guests cannot|other companies cannot|Apps cannot|synchronized account in the service has|no synchronized account has|Several accounts in the service have|no confirmed address for you|workspace is not allowed to decide|whether your account is active|has no external id|belongs to a different account in the service|is linked with somebody else|cannot look up accounts in the service/;

function sentIn(text: string): Claims['sent'] {
  const note = /The decision of (.+?) was sent\./.exec(text);
  const noted = peopleIn(note?.[1] ?? '').map((person) => ({ person, action: null }));
  const unsure = /<@(\w+)>'s (approval|rejection) (?:may not have|was accepted)/;
  return [...noted, ...whoseIn(unsure, text)];
}

function whoseIn(words: RegExp, text: string): Claims['sent'] {
  const match = words.exec(text);
  if (match === null) return [];
  return [{ person: String(match[1]), action: ACTION[String(match[2])] ?? null }];
}

/** Slack ids, in mentions or in links to profiles. */
function peopleIn(text: string): string[] {
  return [...text.matchAll(/<@(\w+)>|<[^|>\s]*\/team\/(\w+)\|/g)].map(([, id, linked]) =>
    String(id ?? linked),
  );
}

/** Gatepost's own words are in sections and small text; rich text is other people's. */
function ownWords(block: unknown): string[] {
  if (!isObject(block)) return [];
  if (block.type === 'section') return textIn(block.text);
  if (block.type !== 'context' || !Array.isArray(block.elements)) return [];
  return block.elements.flatMap(textIn);
}

function textIn(value: unknown): string[] {
  if (!isObject(value) || value.type !== 'mrkdwn') return [];
  return typeof value.text === 'string' ? [value.text] : [];
}

function hasButtons(block: unknown): boolean {
  return /"approvals\.(?:ballot|reason|take-back|check)\b/.test(JSON.stringify(block));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
