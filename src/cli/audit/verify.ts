import { isAlwaysSigned } from '../../app/features.ts';
import {
  type AuditProblem,
  type VerifiedChain,
  verifyChain,
} from '../../core/store/audit-chain.ts';
import { whileShown } from '../moving-line.ts';
import { safeJson } from '../output.ts';
import { EXIT, type ExitCode, print } from '../terminal.ts';
import { type Compared, compareWith } from './against.ts';
import { countText, type Json, type Visit } from './visit.ts';

interface Head {
  readonly shard: number;
  readonly seq: number;
  readonly link: string;
}

/** `<shard>:<number>:<link>`, comma-separated; undefined for another text. */
export function headsIn(text: string): readonly Head[] | undefined {
  const heads = text
    .split(',')
    .map((part) => /^(\d+):(\d+):([0-9a-f]{40,64}|-)$/.exec(part.trim()));
  if (heads.includes(null)) return undefined;
  return heads.map((found) => {
    const [, shard, seq, link = ''] = found ?? [];
    return { shard: Number(shard), seq: Number(seq), link };
  });
}

export function headText(chains: readonly VerifiedChain[]): string {
  return chains.map(({ shard, head }) => `${shard}:${head.seq}:${head.link}`).join(',');
}

/** Retention may run while the log is read. */
const TRIES = 3;

/** What was found, of all shards together. */
export interface Verdict {
  /** Nothing is wrong, as far as the keys here can tell. */
  readonly ok: boolean;
  readonly counts: Readonly<Record<Counted, number>>;
  readonly problems: readonly AuditProblem[];
  /** The most important one first. */
  readonly sentences: readonly string[];
}

const COUNTED = ['entries', 'notSealed', 'sinceCheckpoint', 'earlier', 'unsigned'] as const;
type Counted = (typeof COUNTED)[number];

export interface VerifyOptions extends Json {
  readonly head?: true;
  /** A file. */
  readonly against?: string;
}

const NOTHING: Compared = { problems: [], sentences: [] };

/** Throws AgainstError. */
export async function verify(
  visit: Visit,
  kept: readonly Head[],
  { json, head, against }: VerifyOptions,
): Promise<ExitCode> {
  const { terminal } = visit;
  const verified = await whileShown('Verifying the audit log', visit, () => verifyAll(visit, kept));
  const compared =
    against === undefined
      ? NOTHING
      : await whileShown('Comparing the audit log', visit, () => compareWith(visit, against));
  const { ok, counts, problems, sentences } = verdictOf(verified, kept, compared);
  if (json) {
    await print(terminal, safeJson({ ok, ...counts, head: headText(verified), problems }));
  } else if (head && ok) {
    await print(terminal, `${headText(verified)}\n`);
  }
  const text = sentences.map((sentence) => `${sentence}\n`).join('');
  if (json || head) terminal.stderr.write(text);
  else await print(terminal, text);
  return ok ? EXIT.done : EXIT.notDone;
}

export function verdictOf(
  verified: readonly VerifiedChain[],
  kept: readonly Head[] = [],
  compared = NOTHING,
): Verdict {
  const strangers = kept.filter(({ shard }) => !verified.some((chain) => chain.shard === shard));
  const problems = [
    ...verified.flatMap((chain) => chain.problems),
    ...strangers.map(({ shard, seq }) => noChain(shard, seq)),
    ...compared.problems,
  ];
  // as: of each one's entries
  const counts = Object.fromEntries(
    COUNTED.map((name) => [name, verified.reduce((sum, chain) => sum + chain[name], 0)]),
  ) as Verdict['counts'];
  const { unsigned, earlier } = counts;
  const unknownKeys = [...new Set(verified.flatMap((chain) => chain.unknownKeys))];
  // An entry with an unknown key may be anybody's.
  const ok = problems.length === 0 && unknownKeys.length === 0;
  const many = verified.length > 1;
  const sentences = [
    ...problems.map(({ sentence, shard }) => (many ? `Shard ${shard}: ${sentence}` : sentence)),
    ...(ok ? [intactText(counts)] : []),
    ...(problems.length > 0
      ? ['The audit log is not intact. Keep a copy of the store, and find out who can write to it.']
      : []),
    ...(unsigned > 0 ? [unsignedText(unsigned, unknownKeys, ok)] : []),
    ...(earlier > 0 ? [`Signed by a build before 0.2.0: ${countText(earlier)}.`] : []),
    ...(ok ? unsealedTexts(counts) : []),
    ...compared.sentences,
  ];
  return { ok, counts, problems, sentences };
}

/** Claims nothing about entries that no checkpoint covers. */
function intactText({ entries, notSealed, sinceCheckpoint }: Verdict['counts']): string {
  if (entries === 0) return `${countText(0)}: whether some were removed cannot be known.`;
  const sealed = entries - notSealed - sinceCheckpoint;
  if (sealed === 0) {
    return `${countText(entries)}, not sealed by a checkpoint yet: whether some were removed or moved cannot be known.`;
  }
  if (sealed === entries) return `${countText(entries)}: none is missing, changed or moved.`;
  return `${sealed} of ${countText(entries)} are sealed: none of these is missing, changed or moved.`;
}

/** `isIntact`: none is visibly forged. */
function unsignedText(count: number, unknownKeys: readonly string[], isIntact: boolean): string {
  if (unknownKeys.length > 0) {
    return `The signatures of ${countText(count)} could not be checked. They may have been changed. Add to GATEPOST_KEYS, and verify again: ${unknownKeys.join(', ')}.`;
  }
  if (!isIntact) {
    return count === 1 ? '1 entry has no signature.' : `${count} entries have no signature.`;
  }
  return count === 1
    ? '1 entry has no signature: `gatepost people` wrote it without GATEPOST_KEYS.'
    : `${count} entries have no signature: \`gatepost people\` wrote them without GATEPOST_KEYS.`;
}

function unsealedTexts({ notSealed, sinceCheckpoint }: Verdict['counts']): string[] {
  return [
    ...(notSealed > 0 ? [`Not sealed (from before the first checkpoint): ${notSealed}.`] : []),
    ...(sinceCheckpoint > 0
      ? [`Not sealed yet (after the last checkpoint): ${sinceCheckpoint}.`]
      : []),
  ];
}

function noChain(shard: number, seq: number): AuditProblem {
  return { shard, seq, kind: 'head', sentence: 'The log that this head belongs to is missing.' };
}

/** One shard at a time, because a long log may change while it is read. */
export async function verifyAll(visit: Visit, kept: readonly Head[]): Promise<VerifiedChain[]> {
  const verified: VerifiedChain[] = [];
  for (let shard = 0; shard < visit.store.auditShards(); shard += 1)
    verified.push(await verifyShard(visit, shard, kept));
  return verified;
}

async function verifyShard(
  { store, check }: Visit,
  shard: number,
  kept: readonly Head[],
): Promise<VerifiedChain> {
  const head = kept.find((each) => each.shard === shard);
  for (let tries = 1; ; tries += 1) {
    const chain = await store.auditChain(shard);
    const verified = await verifyChain(chain, { check, isAlwaysSigned, kept: head });
    if (verified.problems.length === 0 || tries === TRIES) return verified;
    const { anchor } = await store.auditChain(shard);
    if (anchor.seq === chain.anchor.seq) return verified;
  }
}
