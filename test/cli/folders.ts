import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';

/** Where folders of stores are made: in memory if that is possible, so that no write waits for a disk. */
export const FOLDERS = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
