/** Paths in a 24 × 24 box. */
const strokes = {
  check: 'M5 12.5l4.5 4.5L19 7.5',
  close: 'M6 6l12 12M18 6L6 18',
  more: 'M5 11.5v1M12 11.5v1M19 11.5v1',
  reply: 'M4 5h16v11H9l-5 4z',
  hash: 'M9 4L7 20M17 4l-2 16M4 9h16M3.5 15h16',
  lock: 'M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3',
  sun: 'M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 2v2.5M12 19.5V22M4.9 4.9l1.8 1.8M17.3 17.3l1.8 1.8M2 12h2.5M19.5 12H22M4.9 19.1l1.8-1.8M17.3 6.7l1.8-1.8',
  moon: 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z',
  send: 'M4 12l16-8-5 16-4-7zM11 13l4-4',
  down: 'M6 9l6 6 6-6',
  warning: 'M12 4L2.5 20h19zM12 10v4.5M12 17.2h.01',
  back: 'M15 5l-7 7 7 7',
  smile: 'M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zM8.5 14a4 4 0 0 0 7 0M9 9.5v.5M15 9.5v.5',
  bolt: 'M13 3L5 13.5h6L10 21l8-10.5h-6z',
  window: 'M13 5h6v6M19 5l-8 8M16 13v6H5V8h6',
} as const;

export type IconName = keyof typeof strokes;

/** A decorative icon: the text beside it, or its button's label, says the same. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={strokes[name]} />
    </svg>
  );
}
