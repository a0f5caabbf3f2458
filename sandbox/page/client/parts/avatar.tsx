interface Props {
  readonly id: string;
  readonly name: string;
  readonly isApp?: boolean;
  readonly isSmall?: boolean;
}

/** So many colours are in people.css. */
const hues = 6;

/** The first letter on a colour that stays the person's own; the app has its gate. */
export function Avatar({ id, name, isApp = false, isSmall = false }: Props) {
  const kinds = ['avatar', isApp ? 'app' : `hue-${hueOf(id)}`, isSmall ? 'small' : ''];
  return (
    <span class={kinds.join(' ')} aria-hidden="true">
      {isApp ? <Gate /> : name.slice(0, 1)}
    </span>
  );
}

function Gate() {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d="M6 20V9a6 6 0 0 1 12 0v11M3.5 20h17M9 13l2.2 2.2L15.5 11" />
    </svg>
  );
}

function hueOf(id: string): number {
  return [...id].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 997, 0) % hues;
}
