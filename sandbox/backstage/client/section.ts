import type { ComponentType } from 'preact';
import type { DemoState } from '../backstage-state.ts';

/** One section of the panel. */
export interface Section {
  /** Also its heading. */
  readonly title: string;
  readonly Content: ComponentType<{ state: DemoState }>;
}
