import type { ModalView } from '@slack/types';
import { cleanLine } from '../lib/clean-line.ts';
import {
  type AccountAuthorizationDependencies,
  authorizeWithAccount,
  recordRefusal,
} from '../people/permission.ts';
import { cutPlain } from '../slack/text.ts';
import { type Store, StoreError } from '../store/store.ts';
import type { TestPlaces } from './catalogue.ts';
import { DESCRIPTION_MAX, type Entered, formView, TITLE_MAX } from './form-view.ts';
import { recallChoices } from './last-choices.ts';
import { noticeView } from './result-view.ts';
import { NO_PROJECTS, NOT_STORED, notChecked, REFUSED, refusalSentence } from './sentences.ts';

export interface FirstFormNeeds {
  readonly policy: AccountAuthorizationDependencies;
  readonly places: TestPlaces;
  readonly store: Pick<Store, 'get' | 'writeAudit'>;
}

/** What somebody sees who wants to create a test case: whether they may, and the form. */
export async function firstForm(
  needs: FirstFormNeeds,
  { thread, ...who }: { readonly user: string; readonly channel: string; readonly thread?: string },
  entered: () => Promise<Entered>,
): Promise<ModalView> {
  const { places, store } = needs;
  if (places.catalogue.testProjects.length === 0) return noticeView(NO_PROJECTS);
  try {
    const permission = await authorizeWithAccount(needs.policy, who);
    if (permission.kind === 'failed') return noticeView(notChecked(permission.of));
    if (permission.kind === 'not-allowed') {
      await recordRefusal(store, REFUSED, { ...who, code: permission.code });
      return noticeView(refusalSentence(permission.code));
    }
    const offered = { ...(await recallChoices(store, who.channel)), ...(await entered()) };
    const where = { channel: who.channel, ...(thread !== undefined && { thread }) };
    return formView(places, { ...where, round: 0 }, offered);
  } catch (error) {
    if (error instanceof StoreError) return noticeView(NOT_STORED);
    throw error;
  }
}

const STEP = /^\s*\d{1,3}[.)]\s+(?<words>\S.*)$/u;

/** What a message makes of a test case; the last line of its description leads back to the message. */
export function fromMessage(text: string, permalink: string | undefined): Entered {
  return fromText(plainText(text), permalink);
}

/** What the words behind the command make of one: their title, unless that is more than a title holds. */
export function fromWords(words: string): Entered {
  const isTitle = words.length <= TITLE_MAX && !/[\r\n]/u.test(words);
  if (!isTitle) return fromText(words, undefined);
  return words === '' ? {} : { title: words };
}

/** The first line is the title; of the rest, numbered lines become steps behind everything else. */
function fromText(text: string, permalink: string | undefined): Entered {
  const [head = '', ...others] = linesFrom(text);
  const whole = cleanLine(withoutMarks(head));
  const title = cutPlain(whole, TITLE_MAX / 2)[0];
  // Nothing is lost of a line that is cut, and a list of steps begins with the first.
  const isList = STEP.test(head) && others.some((line) => STEP.test(line));
  const rest = title !== whole || isList ? [head, ...others] : others;
  const description = descriptionOf(rest, permalink);
  return {
    ...(title !== '' && { title }),
    ...(description !== '' && { description }),
  };
}

/** From the first that is not empty. */
function linesFrom(text: string): readonly string[] {
  const lines = text.split(/\r\n|[\n\r]/u);
  const first = lines.findIndex((line) => line.trim() !== '');
  return first === -1 ? [] : lines.slice(first);
}

function descriptionOf(rest: readonly string[], permalink: string | undefined): string {
  const steps = rest.flatMap((line) => STEP.exec(line)?.groups?.words ?? []);
  const others = rest
    .filter((line) => !STEP.test(line))
    .join('\n')
    .trim();
  const numbered = steps.map((words, index) => `${index + 1}. ${words.trim()}`);
  const parts = [others, ...(steps.length > 0 ? [['Steps:', ...numbered].join('\n')] : [])];
  const body = parts.filter((part) => part !== '').join('\n\n');
  const source = permalink === undefined ? '' : `From: ${permalink}`;
  const room = DESCRIPTION_MAX - source.length - 2;
  return [cutPlain(body, room)[0], source].filter((part) => part !== '').join('\n\n');
}

/** Slack's markup as plain words: links with their address, escapes undone. */
function plainText(text: string): string {
  return text
    .replace(/<(?:mailto:|tel:)[^>|]*\|(?<label>[^>]*)>/gu, '$<label>')
    .replace(/<(?<sign>[@#!])(?<id>[^>|]*)(?:\|(?<name>[^>]*))?>/gu, (_, sign, id, name) => {
      const word: string = name ?? id;
      return sign === '!' || word.startsWith(sign) ? word : `${sign}${word}`;
    })
    .replace(/<(?<address>[^>|]*)\|(?<label>[^>]*)>/gu, (_, address, label) =>
      address === label ? address : `${label} (${address})`,
    )
    .replace(/<(?<address>[^>|]*)>/gu, '$<address>')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

/** A heading in bold, or the first of the numbered lines, is a title without its marks. */
function withoutMarks(line: string): string {
  const words = STEP.exec(line)?.groups?.words ?? line;
  return words.trim().replace(/^([*_])(?<inner>[^*_]+)\1$/u, '$<inner>');
}
