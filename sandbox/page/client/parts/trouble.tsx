import { Icon } from './icon.tsx';

/** An error, announced when it appears. The element stays in the page when empty: a live region has to. */
export function Trouble({ words }: { words: string | null }) {
  return (
    <p class="trouble" role="alert">
      {words && (
        <>
          <Icon name="warning" />
          <span>{words}</span>
        </>
      )}
    </p>
  );
}
