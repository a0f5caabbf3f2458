import './styles/page.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { type Panel, PanelContext } from './panel.ts';
import { recallTheme } from './theme.ts';

/** Renders the page, with the panel of another imitation if there is one. */
export function renderPage(panel: Panel | null = null): void {
  const root = document.getElementById('page');
  if (!root) throw new Error('The document has no place for the page.');
  recallTheme();
  root.replaceChildren();
  render(
    <PanelContext.Provider value={panel}>
      <App />
    </PanelContext.Provider>,
    root,
  );
}
