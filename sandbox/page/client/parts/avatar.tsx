import { usePanel } from '../panel.ts';
import { emojiOf } from '../text/emoji.ts';

interface Props {
  readonly id: string;
  readonly name: string;
  readonly isApp?: boolean;
  readonly isSmall?: boolean;
  /** In place of the picture, with colons. */
  readonly emoji?: string;
}

/** The number of colours in people.css. */
const hues = 6;

/** The first letter on the person's own colour; the app has a picture if a panel supplies one. */
export function Avatar({ id, name, isApp = false, isSmall = false, emoji = '' }: Props) {
  const Picture = usePanel()?.AppPicture;
  const picture = emojiOf(emoji.replaceAll(':', ''));
  const kinds = ['avatar', isApp ? 'app' : `hue-${hueOf(id)}`, isSmall ? 'small' : ''];
  return (
    <span class={kinds.join(' ')} aria-hidden="true">
      {picture ?? (isApp && Picture ? <Picture /> : name.slice(0, 1))}
    </span>
  );
}

function hueOf(id: string): number {
  return [...id].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 997, 0) % hues;
}
