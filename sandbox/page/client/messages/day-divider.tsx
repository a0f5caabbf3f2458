export function DayDivider({ name }: { name: string }) {
  return (
    <h3 class="day">
      <span>{name}</span>
    </h3>
  );
}
