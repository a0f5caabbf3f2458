import { useState } from 'preact/hooks';
import { type ElementIds, elementKey, type Surface } from '../elements/surface.ts';
import { askSandbox } from '../live/ask-sandbox.ts';
import { useReader } from '../text/reader.ts';

/** The surface of a message, and what Slack says when the bot did not take what a person did there. */
export function useMessageSurface(
  channel: string,
  ts: string,
): { readonly surface: Surface; readonly shown: string | null } {
  const { id: user } = useReader();
  const [shown, setShown] = useState<string | null>(null);
  const [working, setWorking] = useState<ReadonlySet<string>>(new Set());

  const press = async (ids: ElementIds): Promise<void> => {
    const key = elementKey(ids);
    setShown(null);
    setWorking((before) => new Set([...before, key]));
    const given = await askSandbox('press', { user, channel, ts, actionId: ids.actionId });
    setWorking((before) => new Set([...before].filter((each) => each !== key)));
    const words = given.ok ? given.body.shown : given.error;
    setShown(typeof words === 'string' ? words : null);
  };
  return { surface: { press, working }, shown };
}
