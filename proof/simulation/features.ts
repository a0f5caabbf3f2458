import { Chance } from './chance.ts';
import type { WorldOptions } from './world.ts';

/** What only some worlds have. */
export type Features = Pick<
  WorldOptions,
  | 'replicas'
  | 'rewinds'
  | 'archives'
  | 'absences'
  | 'closings'
  | 'holds'
  | 'reloads'
  | 'quiet'
  | 'waits'
  | 'usual'
>;

/** How often a world also has what it need not have. */
const MORE = 0.3;

/**
 * Three worlds in a row have everything between them, in an order that the seed draws, so that 300 approvals meet every
 * rule: one with absences, one with holds and closed routes, and one with neither, in which processes fail more often
 * and, of the first three, the scenes of any world are played. Some have more. In one of two the store goes back, never
 * in the first three: that excuses too much. Those three wait for their scenes.
 */
export function featuresOf(seed: string, batch: number): Features {
  const chance = new Chance(`${seed}/worlds/${Math.floor(batch / 3)}`);
  const turn = () => shuffled([0, 1, 2], chance)[batch % 3] ?? 0;
  const [what, replicas, archived, reloaded] = [turn(), turn(), turn(), turn()];
  const more = chance.branch(String(batch));
  // The scenes of one subject fill one of the first three.
  const [hasOthers, hasHolds] = [more.often(MORE), more.often(MORE)];
  const isFull = batch < 3;
  return {
    replicas: 1 + replicas,
    rewinds: batch % 2 === 1 && !isFull,
    archives: archived === 0,
    absences: what === 1 || (hasOthers && !isFull),
    closings: what === 2 || more.often(MORE),
    holds: what === 2 || (hasHolds && !isFull),
    reloads: what === 2 || reloaded === 0,
    quiet: what !== 0,
    waits: batch < 3,
    usual: batch >= 3 || what === 0,
  };
}

function shuffled(items: readonly number[], chance: Chance): number[] {
  return items
    .map((item) => ({ item, at: chance.fraction() }))
    .toSorted((one, other) => one.at - other.at)
    .map(({ item }) => item);
}
