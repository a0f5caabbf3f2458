/** Gatepost's picture in the workspace. */
export function Gate() {
  return (
    <svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d="M6 20V9a6 6 0 0 1 12 0v11M3.5 20h17M9 13l2.2 2.2L15.5 11" />
    </svg>
  );
}
