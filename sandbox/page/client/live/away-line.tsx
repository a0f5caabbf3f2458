interface Props {
  readonly isConnected: boolean;
  /** Nothing has been shown yet. */
  readonly isFirst?: boolean;
}

/** One line while nothing can be heard of the sandbox. */
export function AwayLine({ isConnected, isFirst = false }: Props) {
  const away = 'The sandbox does not answer. The page goes on by itself when it is back.';
  const words = isConnected ? (isFirst ? 'Loading…' : '') : away;
  return (
    <p class="away" role="status">
      {words}
    </p>
  );
}
