import type { StateNotes } from './feature-shapes.ts';
import { REQUEST } from './sentences.ts';

/** What people read of a request that a newer one replaced. */
export const supersedeNotes: StateNotes = {
  withdrawn({ supersededBy }, links) {
    if (supersededBy === undefined) return '';
    const { channel, ts } = supersededBy;
    const link = links?.message(channel, ts);
    const newer = link === undefined ? 'a newer request' : `<${link}|a newer request>`;
    return ` · replaced by ${newer}`;
  },

  withdrawnFor: ({ supersededBy }) => (supersededBy === undefined ? '' : ' for a newer request'),
};

export const supersedeSentences = {
  replaced: () =>
    `${REQUEST} was replaced by a newer request, to which its message links. Your decision does not count.`,
};
