import { useState } from 'preact/hooks';
import { askSandbox } from '../live/ask-sandbox.ts';
import { useReader } from '../text/reader.ts';
import { encodeWords } from './encode-words.ts';

/** Sends messages and commands to a channel, or answers to a thread whose `ts` is not empty. */
export function useSending(channel: string, thread: string) {
  const { id: user, people, channels } = useReader();
  const [trouble, setTrouble] = useState('');

  const ask = async (words: string): Promise<string> => {
    const where = { user, channel };
    const [command = ''] = words.split(/\s/);
    if (!words.startsWith('/')) {
      const text = encodeWords(words, people, channels);
      const said = await askSandbox('say', { ...where, text, ...(thread && { threadTs: thread }) });
      return said.ok ? '' : said.error;
    }
    if (thread) return `${command} is not supported in threads. Sorry!`;
    const done = await askSandbox('command', { ...where, text: words });
    return done.ok ? '' : done.error;
  };
  /** Whether it was sent. */
  const send = async (words: string): Promise<boolean> => {
    setTrouble('');
    const why = await ask(words);
    setTrouble(why);
    return why === '';
  };
  return { send, trouble, setTrouble };
}
