import { createHmac, hash as digest, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { EncryptionKey } from '../config/config.ts';
import {
  CHECKPOINT,
  type Checkpoint,
  checkpointIn,
  createSeals,
  isRedated,
  type Sealed,
} from './checkpoint.ts';
import type { AuditChain, AuditPlace, AuditText, NewAuditEntry } from './store.ts';

/**
 * The audit log of each shard is a chain: an entry's link is a hash of the previous link and the entry's time, number
 * and text, so changing, removing or moving an entry changes every link after it. The text is signed with a key that is
 * not in the store. Time, number and link are not yet known then: checkpoints sign those (`checkpoint.ts`).
 */

/** The link before a shard's first entry. */
export const NO_LINK = '-';

/** Signs an entry's text. */
export type SignAudit = (said: string) => string;

/**
 * The text of a new entry. `record` is the default for entries without one; `checkpoint`: the name of the writer's last
 * known checkpoint of the shard, which is signed too.
 */
export function auditText(
  { action, record, actor, facts }: NewAuditEntry,
  standIn: string | null,
  { sign, checkpoint = '' }: { readonly sign: SignAudit; readonly checkpoint?: string | undefined },
): AuditText {
  const said = [action, record ?? standIn ?? '', actor, JSON.stringify(facts)] as const;
  if (checkpoint === '') return [...said, sign(signedText(said))];
  return [...said, `${sign(signedText([...said, checkpoint]))}.${checkpoint}`];
}

/** The signed text: unambiguous, whatever the fields contain. */
function signedText(fields: readonly string[]): string {
  return JSON.stringify(['audit', 2, ...fields]);
}

/** As builds before 0.2.0 signed. A line end in a field would let fields be divided otherwise; they wrote none. */
function earlierSignedText(fields: readonly string[]): string | undefined {
  return fields.some((field) => field.includes('\n')) ? undefined : fields.join('\n');
}

/** The link of an entry after another. The Redis scripts compute the same, with SHA-1, which they have. */
export function linkAfter(
  hash: AuditChain['hash'],
  before: string,
  { at, seq }: { readonly at: number; readonly seq: number },
  text: AuditText,
): string {
  return digest(hash, [before, `${at}-${seq}`, ...text].join('\n'), 'hex');
}

/**
 * Signs with the first key, as `<key id>.<HMAC-SHA-256>`; without keys nothing is signed. Uses keys derived from these,
 * so that no key serves two purposes.
 */
export function auditSigner(keys: readonly EncryptionKey[]): SignAudit {
  const [first] = keys;
  if (first === undefined) return () => '';
  const secret = secretOf(first);
  return (said) => `${first.id}.${macOf(secret, said)}`;
}

/** earlier: right in the form of builds before 0.2.0. */
type SignatureCheck = 'right' | 'earlier' | 'wrong' | 'none' | 'unknown-key';

export type CheckSignature = (text: AuditText) => SignatureCheck;

/** Checks signatures by any of these keys. */
export function signatureChecker(keys: readonly EncryptionKey[]): CheckSignature {
  const secrets = new Map(keys.map((key) => [key.id, secretOf(key)]));
  return (text) => {
    const [action, record, actor, facts, mac] = text;
    if (mac === '') return 'none';
    const [id = '', given = '', ...name] = mac.split('.');
    const secret = secrets.get(id);
    if (secret === undefined) return 'unknown-key';
    const fields = [action, record, actor, facts, ...(name.length === 0 ? [] : [name.join('.')])];
    if (isSame(macOf(secret, signedText(fields)), given)) return 'right';
    const earlier = earlierSignedText(fields);
    return earlier !== undefined && isSame(macOf(secret, earlier), given) ? 'earlier' : 'wrong';
  };
}

function isSame(right: string, given: string): boolean {
  const [a, b] = [Buffer.from(right), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function secretOf({ key }: EncryptionKey): Buffer {
  return Buffer.from(hkdfSync('sha256', key, '', 'gatepost audit', 32));
}

function macOf(secret: Buffer, said: string): string {
  return createHmac('sha256', secret).update(said).digest('base64url');
}

/** `against`: in comparison with lines that left the house. */
type ProblemKind =
  | 'missing'
  | 'changed'
  | 'moved'
  | 'forged'
  | 'anchor'
  | 'head'
  | 'checkpoint'
  | 'against';

/** A fault in a chain. */
export interface AuditProblem {
  readonly shard: number;
  /** The entry at which it was noticed. */
  readonly seq: number;
  readonly kind: ProblemKind;
  readonly sentence: string;
}

export interface VerifiedChain extends Sealed {
  readonly shard: number;
  /** Entries read, without checkpoints. */
  readonly entries: number;
  /** Entries before the first checkpoint that a build before 0.2.0 signed. */
  readonly earlier: number;
  /** Entries without a signature, or whose key is unknown here; includes checkpoints. */
  readonly unsigned: number;
  readonly unknownKeys: readonly string[];
  /** The last entry that retention had removed. */
  readonly anchor: AuditChain['anchor'];
  /** The end of what was read, to be kept elsewhere. */
  readonly head: { readonly seq: number; readonly link: string };
  readonly problems: readonly AuditProblem[];
}

/** More problems of the same kind add nothing. */
const MOST_PROBLEMS = 20;

interface Verifying {
  readonly check: CheckSignature;
  /** Whether entries with this action are always signed. */
  readonly isAlwaysSigned: (action: string) => boolean;
  /** An earlier head, if somebody kept one. */
  readonly kept?: { readonly seq: number; readonly link: string } | undefined;
}

/** Reads a chain from anchor to head, and reports its faults. */
export async function verifyChain(
  chain: AuditChain,
  { check, isAlwaysSigned, kept }: Verifying,
): Promise<VerifiedChain> {
  const { shard, hash, anchor } = chain;
  const problems: AuditProblem[] = [];
  const unknownKeys = new Set<string>();
  let [entries, earlier, unsigned] = [0, 0, 0];
  let last = anchor;
  const note = (kind: AuditProblem['kind'], seq: number, sentence: string) => {
    if (problems.length < MOST_PROBLEMS) problems.push({ shard, seq, kind, sentence });
  };
  const seals = createSeals(chain, note);
  const compare = ({ seq, link }: typeof last) => {
    if (kept === undefined || seq !== kept.seq || link === kept.link) return;
    note('head', seq, `Entry ${seq} is not the one whose link was kept: the log was rewritten.`);
  };
  if (kept !== undefined && kept.seq < anchor.seq) {
    const what = `Entry ${kept.seq}, whose link was kept, has since been removed, so the log cannot be compared with it.`;
    note('head', anchor.seq, `${what} Keep a newer head, before retention removes its entry.`);
  }
  compare(anchor);
  for await (const entry of chain.entries()) {
    const { seq, link, text } = entry;
    if (text[0] !== CHECKPOINT) entries += 1;
    const expected = last.seq + 1;
    const isNext = seq === expected;
    const isLinked = linkAfter(hash, last.link, entry, text) === link;
    if (seq > expected) note('missing', seq, missing(expected, seq - 1));
    else if (seq < expected) note('moved', seq, `Entry ${seq} stands behind entry ${last.seq}.`);
    else if (!isLinked) {
      const [kind, sentence] = brokenLink(seq, seq === anchor.seq + 1 && anchor.seq > 0);
      note(kind, seq, sentence);
    }
    const found = check(text);
    const signature = found === 'earlier' && seals.haveBegun ? 'wrong' : found;
    if (signature === 'earlier') earlier += 1;
    if (signature === 'wrong') note('forged', seq, `The signature of entry ${seq} is wrong.`);
    if (signature === 'none') {
      const sentence = isAlwaysSigned(text[0])
        ? `Entry ${seq} has no signature, but the bot signs everything it writes.`
        : unsignedSentence(seq, seals.haveBegun);
      if (sentence !== undefined) note('forged', seq, sentence);
    }
    if (signature === 'none' || signature === 'unknown-key') unsigned += 1;
    if (signature === 'unknown-key') unknownKeys.add(text[4].split('.')[0] ?? '');
    // A signature with an unknown key is accepted; the missing key is reported.
    seals.read(entry, { isSigned: signature === 'right' || signature === 'unknown-key' });
    // After a fault, continues from the entry found, so that one fault is reported once.
    if (isNext || seq > expected) last = { seq, link };
    compare(last);
  }
  if (last.seq < chain.head.seq) {
    note('missing', chain.head.seq, missing(last.seq + 1, chain.head.seq));
  } else if (last.seq === chain.head.seq && last.link !== chain.head.link) {
    note('head', last.seq, `The link of entry ${last.seq} is not the one noted as the last.`);
  }
  if (kept !== undefined && kept.seq > last.seq) {
    note('head', last.seq, `The log ends at entry ${last.seq}; entry ${kept.seq} was there once.`);
  }
  const sealed = seals.end();
  const keys = [...unknownKeys];
  const counts = { entries, ...sealed, earlier, unsigned };
  return { shard, ...counts, unknownKeys: keys, anchor, head: last, problems };
}

/** Why a missing signature is a problem; undefined: it is none. */
function unsignedSentence(seq: number, isAfterCheckpoint: boolean): string | undefined {
  return isAfterCheckpoint
    ? `Entry ${seq} has no signature: it was forged, or the command line wrote it without GATEPOST_KEYS.`
    : undefined;
}

function brokenLink(seq: number, isFirst: boolean): [AuditProblem['kind'], string] {
  if (!isFirst) {
    return [
      'changed',
      `Entry ${seq} does not follow the one before it: one of the two was changed.`,
    ];
  }
  const sentence = `Entry ${seq} does not follow the last one that retention removed: the note of that one, or entry ${seq}, was changed.`;
  return ['anchor', sentence];
}

function missing(from: number, to: number): string {
  return from === to ? `Entry ${from} is missing.` : `Entries ${from} to ${to} are missing.`;
}

interface Retention {
  readonly check: CheckSignature;
  /** Later entries stay. */
  readonly before: number;
  /** Checkpoints are searched for in this time before `before`. */
  readonly searchMs: number;
  /** Yields to other work. */
  readonly pause: () => Promise<void>;
}

/** How many entries are read between pauses. */
const TURN = 1_000;

/**
 * The last entry that retention may remove; null: none. Dates in the store are not enough, because anybody who can
 * write to it can change them: a signed checkpoint with an old signed time has to cover the entries, and every link up
 * to there has to be right. 'changed': something is not as it was signed.
 */
export async function lastRemovable(
  chain: AuditChain,
  { check, before, searchMs, pause }: Retention,
): Promise<AuditPlace | 'changed' | null> {
  const { hash, anchor } = chain;
  const checkpoint = await checkpointBefore(chain, { check, before, searchMs });
  if (checkpoint === null || checkpoint === 'changed') return checkpoint;
  if (checkpoint.covers <= anchor.seq) return null;
  let { seq, link } = anchor;
  for await (const entry of chain.entries()) {
    const isNext = entry.seq === seq + 1;
    if (!isNext || linkAfter(hash, link, entry, entry.text) !== entry.link) return 'changed';
    ({ seq, link } = entry);
    if (seq === checkpoint.covers) {
      return link === checkpoint.link ? { at: entry.at, seq } : 'changed';
    }
    if (seq % TURN === 0) await pause();
  }
  return 'changed';
}

/** The last checkpoint whose signed time is before `before`. */
async function checkpointBefore(
  chain: AuditChain,
  { check, before, searchMs }: Omit<Retention, 'pause'>,
): Promise<Checkpoint | 'changed' | null> {
  const old = await chain.lastBefore(before);
  if (old === undefined) return null;
  let found: Checkpoint | null = null;
  const from = { at: Math.max(0, old.at - searchMs), seq: 0 };
  for await (const { at, text } of chain.entries({ from })) {
    if (at >= before) break;
    if (text[0] !== CHECKPOINT || check(text) !== 'right') continue;
    const checkpoint = checkpointIn(text);
    if (checkpoint?.shard !== chain.shard) continue;
    if (isRedated(checkpoint, at)) return 'changed';
    if (checkpoint.time < before) found = checkpoint;
  }
  return found;
}
