import { renderPage } from './render-page.tsx';

renderPage();
