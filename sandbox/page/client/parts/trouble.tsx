import { Icon } from './icon.tsx';

/** What went wrong, read out as it appears; nothing while all is well. It stays in the page, as what is read out must. */
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
