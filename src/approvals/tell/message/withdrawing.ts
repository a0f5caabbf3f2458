import type { StatementFacts } from '../../decision/statement.ts';
import type { StateNotes } from './feature-shapes.ts';
import { mention, REQUEST } from './sentences.ts';

/** What people read of a request that its requester withdrew. */
export const withdrawingNotes: StateNotes = {
  withdrawn: ({ withdrawnBy }) =>
    withdrawnBy === undefined ? '' : ` by its requester ${mention(withdrawnBy)}`,
};

export const withdrawingSentences = {
  'requester-withdrew': ({ by }: StatementFacts['requester-withdrew']) =>
    `${REQUEST} was withdrawn by its requester ${mention(by)}. Your decision does not count.`,
  'you-withdrew': () => `You withdrew ${REQUEST}. Whoever waits for it is told.`,
  'withdrawn-late': () =>
    `${REQUEST} is already being decided. It is withdrawn only if that decision cannot be carried out.`,
};
