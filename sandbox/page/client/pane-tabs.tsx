const panes = {
  channels: 'Channels',
  messages: 'Messages',
  backstage: 'Behind the scenes',
} as const;

export type Pane = keyof typeof panes;

/** In a narrow window: what it shows. */
export function PaneTabs({ open, onOpen }: { open: Pane; onOpen: (pane: Pane) => void }) {
  return (
    <nav class="pane-tabs" aria-label="Parts of the page">
      {Object.entries(panes).map(([pane, words]) => (
        <button
          key={pane}
          type="button"
          aria-current={pane === open ? 'true' : undefined}
          // The entries are those of `panes`.
          onClick={() => onOpen(pane as Pane)}
        >
          {words}
        </button>
      ))}
    </nav>
  );
}
