import { REQUEST } from './sentences.ts';

/** What people read of a request that a newer one replaced. */
export const supersedeSentences = {
  replaced: () =>
    `${REQUEST} was replaced by a newer request, to which its message links. Your decision was not sent.`,
};
