/** Above what came while the reader was elsewhere. */
export function NewDivider() {
  return (
    <p class="new-line">
      <span>New</span>
    </p>
  );
}
