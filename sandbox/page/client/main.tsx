import './styles/page.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { recallTheme } from './theme.ts';

const root = document.getElementById('page');
if (!root) throw new Error('The document has no place for the page.');
recallTheme();
root.replaceChildren();
render(<App />, root);
