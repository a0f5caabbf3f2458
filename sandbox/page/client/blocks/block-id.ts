import { createContext } from 'preact';

/** Id of the block around an element. */
export const BlockId = createContext('');
