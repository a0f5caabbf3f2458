import { renderPage } from '../../page/client/render-page.tsx';
import './styles/backstage.css';
import type { PageState } from '../../page/page-state.ts';
import type { DemoState } from '../backstage-state.ts';
import { Backstage } from './backstage.tsx';
import { Gate } from './gate.tsx';
import { Guide } from './guide/guide.tsx';
import { Welcome } from './welcome.tsx';

/** This program is only served with the panel, whose state is part of the page's. */
const demo = (state: PageState) => state as DemoState;

renderPage({
  Pane: ({ state }) => <Backstage state={demo(state)} />,
  words: 'Behind the scenes',
  selector: '.backstage',
  AppPicture: Gate,
  Bar: ({ state }) => <Guide state={demo(state)} />,
  welcome: { channel: 'C0DEPLOYS', Content: Welcome },
});
