import type { PageState } from '../../page-state.ts';
import { Icon } from '../parts/icon.tsx';
import { addressOf, nowhere } from '../place/place.ts';

/** The way to be somebody else at the same time: another who may decide, in a window of their own. */
export function SecondWindow({ state: { me, people } }: { state: PageState }) {
  const other = people.find(({ id, isReleaseManager }) => isReleaseManager && id !== me.id);
  if (!other) return null;
  const words = `Be ${other.name.split(' ')[0]} in a second window`;
  return (
    <a
      class="icon-button"
      href={addressOf({ ...nowhere, as: other.id })}
      target="_blank"
      rel="noreferrer"
      aria-label={words}
      title={words}
    >
      <Icon name="window" />
    </a>
  );
}
