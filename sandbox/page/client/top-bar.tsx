import type { PageState } from '../page-state.ts';
import { NextStepLine } from './first-visit/next-step-line.tsx';
import { PersonSwitch } from './people/person-switch.tsx';
import { SecondWindow } from './people/second-window.tsx';
import { ThemeToggle } from './theme/theme-toggle.tsx';

export function TopBar({ state, openId }: { state: PageState; openId: string }) {
  return (
    <header class="top-bar">
      <h1>
        Gatepost <span>sandbox</span>
      </h1>
      <NextStepLine state={state} />
      <PersonSwitch state={state} openId={openId} />
      <SecondWindow state={state} />
      <ThemeToggle />
    </header>
  );
}
