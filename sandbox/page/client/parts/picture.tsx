import { useState } from 'preact/hooks';

interface Props {
  readonly image: { readonly alt_text: string; readonly image_url?: string };
  readonly isSmall?: boolean;
}

/** An image of a message. The page loads nothing from other hosts, and shows the alternative text instead. */
export function Picture({ image: { alt_text, image_url }, isSmall = false }: Props) {
  const [isAway, setAway] = useState(image_url === undefined);
  if (isAway) return <span class="picture-away">{alt_text}</span>;
  const kind = isSmall ? 'picture small' : 'picture';
  return <img class={kind} src={image_url} alt={alt_text} onError={() => setAway(true)} />;
}
