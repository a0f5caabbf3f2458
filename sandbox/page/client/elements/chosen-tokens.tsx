import { Icon } from '../parts/icon.tsx';
import type { Chosen } from './held.ts';

interface Props {
  readonly chosen: readonly Chosen[];
  readonly onRemove: (value: string) => void;
}

/** What was chosen where several things can be. */
export function ChosenTokens({ chosen, onRemove }: Props) {
  if (chosen.length === 0) return null;
  return (
    <ul class="tokens" aria-label="Chosen">
      {chosen.map(({ value, label }) => (
        <li key={value}>
          {label}
          <button type="button" aria-label={`Remove ${label}`} onClick={() => onRemove(value)}>
            <Icon name="close" />
          </button>
        </li>
      ))}
    </ul>
  );
}
