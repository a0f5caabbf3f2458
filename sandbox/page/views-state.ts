import { isObject } from '../exchange.ts';
import type { View } from '../wire.ts';
import type { Manifest } from '../workspace/manifest.ts';
import type { PageApp, PageView } from './page-state.ts';

export function appState({ commands, shortcuts, homeTab, messagesTab }: Manifest): PageApp {
  return {
    commands: commands.map(({ command, description, usageHint }) => ({
      command,
      description,
      usageHint,
    })),
    shortcuts,
    hasHome: homeTab,
    takesMessages: messagesTab === 'open',
  };
}

/** A modal or a home tab as the person sees it; what belongs to the bot alone is left out. */
export function viewState(
  view: View | undefined,
  errors: PageView['errors'] = {},
): PageView | null {
  if (!view) return null;
  const { id, root_view_id: rootId, previous_view_id, hash, title, submit, close, blocks } = view;
  // The workspace fills the state in, in this form.
  const { values } = view.state as Pick<PageView, 'values'>;
  return {
    id,
    rootId,
    isPushed: previous_view_id !== null,
    hash,
    title: words(title) ?? '',
    submit: words(submit),
    close: words(close),
    blocks,
    values,
    errors,
  };
}

function words(text: unknown): string | null {
  return isObject(text) && typeof text.text === 'string' ? text.text : null;
}
