import { createContext } from 'preact';

/** What is wrong with inputs, by block id. */
export const ErrorsContext = createContext<Readonly<Record<string, string>>>({});
